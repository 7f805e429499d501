#include "fathom/io/result_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

#include "fathom/core/error.hpp"
#include "fathom/io/npy_header.hpp"
#include "fathom/io/table_writer.hpp"

namespace fathom::io {
namespace {

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

void check_columns(std::size_t rows, std::span<const ResultColumn> columns, const char* what) {
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

ResultRows::ResultRows(ResultKind kind, std::size_t rows, Label label,
                       std::span<const ResultColumn> columns, std::span<const VertexId> vertices)
    : kind_(kind), rows_(rows), label_(std::move(label)), columns_(columns), vertices_(vertices) {
  check_columns(rows, columns, label_ ? "vertices" : "rows");
  if (!vertices.empty() && vertices.size() != rows)
    throw Error(ErrorCode::Usage,
                fmt::format("an order of {} vertices for {} rows", vertices.size(), rows));
}

void ResultRows::append_header(std::string& out) const {
  if (kind_ == ResultKind::Npy) {
    out += npy_header(type_of(columns_), fmt::format("({},)", rows_));
    return;
  }
  if (label_) out += "vertex";
  for (const ResultColumn& column : columns_) {
    if (label_ || &column != columns_.data()) out += separator();
    const std::size_t first = out.size();
    out += column.name;
    quote_if_needed(out, first, separator());
  }
  out += '\n';
}

void ResultRows::append_text(std::size_t v, std::string& out) const {
  std::size_t first = out.size();
  if (label_) label_(v, out);
  quote_if_needed(out, first, separator());
  for (const ResultColumn& column : columns_) {
    if (label_ || &column != columns_.data()) out += separator();
    first = out.size();
    std::visit([&](auto values) { append_value(column, values[v], v, out); }, column.values);
    if (column.text) quote_if_needed(out, first, separator());
  }
  out += '\n';
}

void ResultRows::append(std::size_t first, std::size_t last, std::string& out) const {
  for (std::size_t row = first; row < last; ++row) {
    const std::size_t v = vertices_.empty() ? row : vertices_[row];
    if (kind_ != ResultKind::Npy) {
      append_text(v, out);
      continue;
    }
    for (const ResultColumn& column : columns_)
      std::visit([&](auto values) { append_binary(column, values[v], out); }, column.values);
  }
}

void write_results(ByteSink& sink, const ResultRows& rows, const Task& task) {
  // Looks at the task often enough, and seldom enough to cost nothing.
  constexpr std::size_t kPiece = std::size_t{1} << 12;
  task.begin("writing", rows.count(), rows.what());
  SinkBuffer output(sink);
  rows.append_header(output.buffer());
  for (std::size_t row = 0; row < rows.count(); row += kPiece) {
    rows.append(row, std::min(row + kPiece, rows.count()), output.buffer());
    output.flush_if_full();
    task.at(row);
  }
  output.flush();
  sink.finish();
  task.at(rows.count());
  task.end();
}

void write_results(const std::string& path, std::size_t rows, ResultRows::Label label,
                   std::span<const ResultColumn> columns, const Task& task,
                   std::span<const VertexId> vertices) {
  const ResultRows all(result_kind(path), rows, std::move(label), columns, vertices);
  write_results(*open_sink(path), all, task);
}

}  // namespace fathom::io
