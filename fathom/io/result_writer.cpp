#include "fathom/io/result_writer.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstring>

#include "fathom/core/error.hpp"
#include "fathom/io/npy_header.hpp"
#include "fathom/io/table_writer.hpp"

namespace fathom::io {
namespace {

constexpr std::size_t kRowsPerCheck = std::size_t{1} << 16;

template <class T>
void append_number(T value, std::string& out) {
  std::array<char, 64> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  out.append(digits.data(), end);
}

/// What stands for a value in a file.
template <class T>
T written(const ResultColumn& column, T value) {
  if constexpr (std::is_unsigned_v<T>)
    if (!column.ids.empty()) return static_cast<T>(column.ids[value]);
  return value;
}

template <class T>
void append_value(const ResultColumn& column, T value, std::size_t vertex, std::string& out) {
  if constexpr (std::is_unsigned_v<T>) {
    if (column.none == value) {
      out += "-1";
      return;
    }
  }
  if (column.text)
    column.text(vertex, out);
  else
    append_number(written(column, value), out);
}

/// Whose values a row has.
struct Rows {
  std::size_t count;
  std::span<const VertexId> vertices;  // empty: ids are rows
  std::size_t vertex(std::size_t row) const { return vertices.empty() ? row : vertices[row]; }
};

using Label = FunctionRef<void(std::size_t, std::string&)>;

/// `label`: null where rows are not vertices.
void write_text(SinkBuffer& output, const Rows& rows, char separator, const Label* label,
                std::span<const ResultColumn> columns, const Task& task) {
  std::string& out = output.buffer();
  if (label) out += "vertex";
  std::size_t first = 0;
  for (const ResultColumn& column : columns) {
    if (label || &column != columns.data()) out += separator;
    first = out.size();
    out += column.name;
    quote_if_needed(out, first, separator);
  }
  out += '\n';
  for (std::size_t row = 0; row < rows.count; ++row) {
    const std::size_t v = rows.vertex(row);
    first = out.size();
    if (label) (*label)(v, out);
    quote_if_needed(out, first, separator);
    for (const ResultColumn& column : columns) {
      if (label || &column != columns.data()) out += separator;
      first = out.size();
      std::visit([&](auto values) { append_value(column, values[v], v, out); }, column.values);
      if (column.text) quote_if_needed(out, first, separator);
    }
    out += '\n';
    output.flush_if_full();
    if (row % kRowsPerCheck == 0) task.at(row);
  }
}

std::string_view dtype(const ResultColumn& column) {
  constexpr std::array<std::string_view, 5> kTypes = {"<u4", "<i8", "<f4", "<f8", "<u8"};
  if (column.none) return "<i8";
  return kTypes[column.values.index()];
}

/// As a Python literal; the header is Latin-1, so other bytes than ASCII's are \xNN.
std::string python_literal(std::string_view text) {
  std::string literal = "'";
  for (const char c : text) {
    if (c < ' ' || c > '~' || c == '\'' || c == '\\')
      literal += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    else
      literal += c;
  }
  return literal + "'";
}

/// Their types as one, a structure where there are several.
std::string type_of(std::span<const ResultColumn> columns) {
  if (columns.size() == 1) return fmt::format("'{}'", dtype(columns[0]));
  std::string type;
  for (const ResultColumn& column : columns)
    type += fmt::format("({}, '{}'), ", python_literal(column.name), dtype(column));
  return "[" + type + "]";
}

template <class T>
void append_bytes(T value, std::string& out) {
  std::array<char, sizeof(T)> bytes;
  std::memcpy(bytes.data(), &value, sizeof(T));
  out.append(bytes.data(), bytes.size());
}

template <class T>
void append_binary(const ResultColumn& column, T value, std::string& out) {
  if constexpr (std::is_unsigned_v<T>) {
    if (column.none) {
      append_bytes(*column.none == value ? std::int64_t{-1}
                                         : static_cast<std::int64_t>(written(column, value)),
                   out);
      return;
    }
  }
  append_bytes(written(column, value), out);
}

void write_npy(SinkBuffer& output, const Rows& rows, std::span<const ResultColumn> columns,
               const Task& task) {
  output.buffer() += npy_header(type_of(columns), fmt::format("({},)", rows.count));
  for (std::size_t row = 0; row < rows.count; ++row) {
    const std::size_t v = rows.vertex(row);
    for (const ResultColumn& column : columns)
      std::visit([&](auto values) { append_binary(column, values[v], output.buffer()); },
                 column.values);
    output.flush_if_full();
    if (row % kRowsPerCheck == 0) task.at(row);
  }
}

void write_all(ByteSink& sink, ResultKind kind, const Rows& rows, const Label* label,
               std::span<const ResultColumn> columns, const Task& task) {
  task.begin("writing", rows.count, label ? "vertices" : "rows");
  SinkBuffer output(sink);
  if (kind == ResultKind::Npy)
    write_npy(output, rows, columns, task);
  else
    write_text(output, rows, kind == ResultKind::Tsv ? '\t' : ',', label, columns, task);
  output.flush();
  sink.finish();
  task.at(rows.count);
  task.end();
}

void check_columns(std::size_t rows, std::span<const ResultColumn> columns,
                   const char* what = "vertices") {
  if (columns.empty()) throw Error(ErrorCode::Usage, "a result needs a column");
  for (const ResultColumn& column : columns) {
    const std::size_t size = std::visit([](auto values) { return values.size(); }, column.values);
    if (size != rows)
      throw Error(ErrorCode::Usage, fmt::format("result column '{}' has {} values for {} {}",
                                                column.name, size, rows, what));
    if (column.none && column.values.index() != 0 && column.values.index() != 4)
      throw Error(ErrorCode::Usage,
                  fmt::format("result column '{}' is not unsigned and has no 'none'", column.name));
  }
}

}  // namespace

ResultKind result_kind(const std::string& path) {
  const auto ends_with = [&](std::string_view suffix) {
    return path.size() > suffix.size() &&
           path.compare(path.size() - suffix.size(), suffix.size(), suffix) == 0;
  };
  if (ends_with(".tsv")) return ResultKind::Tsv;
  if (ends_with(".csv")) return ResultKind::Csv;
  if (ends_with(".npy")) return ResultKind::Npy;
  throw Error(ErrorCode::Usage,
              "'" + path + "': a result file's name must end in .tsv, .csv or .npy");
}

void write_results(const std::string& path, std::size_t rows,
                   FunctionRef<void(std::size_t, std::string&)> label,
                   std::span<const ResultColumn> columns, const Task& task,
                   std::span<const VertexId> vertices) {
  const ResultKind kind = result_kind(path);
  check_columns(rows, columns);
  const auto file = open_sink(path);
  write_results(*file, kind, rows, label, columns, task, vertices);
}

void write_results(ByteSink& sink, ResultKind kind, std::size_t rows,
                   FunctionRef<void(std::size_t, std::string&)> label,
                   std::span<const ResultColumn> columns, const Task& task,
                   std::span<const VertexId> vertices) {
  check_columns(rows, columns);
  if (!vertices.empty() && vertices.size() != rows)
    throw Error(ErrorCode::Usage,
                fmt::format("an order of {} vertices for {} rows", vertices.size(), rows));
  write_all(sink, kind, {rows, vertices}, &label, columns, task);
}

void write_rows(ByteSink& sink, ResultKind kind, std::size_t rows,
                std::span<const ResultColumn> columns, const Task& task) {
  check_columns(rows, columns, "rows");
  write_all(sink, kind, {rows, {}}, nullptr, columns, task);
}

}  // namespace fathom::io
