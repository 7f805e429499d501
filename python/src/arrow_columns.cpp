// Columns of whatever offers __arrow_c_stream__ (Polars, pandas, pyarrow): nothing is copied.
#include <fmt/format.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "arrow.hpp"
#include "columns.hpp"
#include "fathom/core/error.hpp"

namespace fathom::python {
namespace {

/// All chunks of a stream.
struct ArrowTable {
  ArrowSchema schema{};
  std::vector<ArrowArray> chunks;

  ArrowTable() = default;
  ArrowTable(const ArrowTable&) = delete;
  ArrowTable& operator=(const ArrowTable&) = delete;
  ~ArrowTable() {
    for (ArrowArray& chunk : chunks)
      if (chunk.release) chunk.release(&chunk);
    if (schema.release) schema.release(&schema);
  }
};

void check(int status, ArrowArrayStream& stream) {
  if (status == 0) return;
  const char* const why = stream.get_last_error ? stream.get_last_error(&stream) : nullptr;
  throw Error(ErrorCode::BadInput, fmt::format("the table: {}", why ? why : std::strerror(status)));
}

std::shared_ptr<ArrowTable> read_stream(nb::handle capsule) {
  auto* const stream =
      static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(capsule.ptr(), "arrow_array_stream"));
  if (!stream) throw nb::python_error();
  if (!stream->release) throw Error(ErrorCode::Usage, "the table's stream was read before");
  auto table = std::make_shared<ArrowTable>();
  check(stream->get_schema(stream, &table->schema), *stream);
  for (;;) {
    ArrowArray chunk{};
    check(stream->get_next(stream, &chunk), *stream);
    if (!chunk.release) break;
    table->chunks.push_back(chunk);
  }
  stream->release(stream);
  return table;
}

/// One chunk of a column.
struct Piece {
  const ArrowArray* array;
  std::int64_t first;   // of the array's slots, its own offset included
  std::uint64_t begin;  // where its values begin in the column
  std::uint64_t count;
};

bool may_miss(const ArrowArray& array) {
  return array.null_count != 0 && array.n_buffers > 0 && array.buffers[0];
}

bool missing(const ArrowArray& array, std::int64_t slot) {
  if (!may_miss(array)) return false;
  const auto* const bits = static_cast<const std::uint8_t*>(array.buffers[0]);
  return (bits[slot / 8] >> (slot % 8) & 1) == 0;
}

template <class T>
T value_at(const void* buffer, std::int64_t slot) {
  return static_cast<const T*>(buffer)[slot];
}

class ArrowColumn final : public Column {
 public:
  /// `child`: which column of a table; -1: the stream is a column itself.
  ArrowColumn(std::string name, std::shared_ptr<ArrowTable> table, std::int64_t child)
      : Column(std::move(name)), table_(std::move(table)) {
    const ArrowSchema& schema = child < 0 ? table_->schema : *table_->schema.children[child];
    format_ = schema.format;
    if (schema.dictionary) values_format_ = schema.dictionary->format;
    for (const ArrowArray& chunk : table_->chunks) {
      const ArrowArray& array = child < 0 ? chunk : *chunk.children[child];
      for (std::int64_t row = 0; child >= 0 && row < chunk.length && may_miss(chunk); ++row)
        if (missing(chunk, chunk.offset + row))
          refuse(size_ + static_cast<std::uint64_t>(row), "a value", "a row that is null");
      const std::int64_t before = child < 0 ? 0 : chunk.offset;
      pieces_.push_back(
          {&array, array.offset + before, size_, static_cast<std::uint64_t>(chunk.length)});
      size_ += static_cast<std::uint64_t>(chunk.length);
    }
    const std::string& kind = schema.dictionary ? values_format_ : format_;
    strings_ =
        kind == "u" || kind == "U" || kind == "vu" || kind == "z" || kind == "Z" || kind == "vz";
    integers_ = !strings_ && kind.size() == 1 && std::strchr("cCsSiIlL", kind[0]);
    if (!strings_ && !integers_ && kind != "f" && kind != "g")
      throw Error(ErrorCode::Usage,
                  fmt::format("{}: expected integers, floats or strings, found Arrow's type '{}'",
                              this->name(), kind));
  }

  std::uint64_t size() const override { return size_; }
  bool strings() const override { return strings_; }
  bool integers() const override { return integers_; }

  void read(std::uint64_t first, std::span<std::uint64_t> into) const override {
    if (!integers_) return Column::read(first, into);
    each(first, into.size(),
         [&](std::size_t i, const ArrowArray& array, std::int64_t slot, const std::string& format) {
           into[i] = integer(array, slot, format, first + i);
         });
  }
  void read(std::uint64_t first, std::span<std::string_view> into) const override {
    if (!strings_) return Column::read(first, into);
    each(first, into.size(),
         [&](std::size_t i, const ArrowArray& array, std::int64_t slot, const std::string& format) {
           into[i] = text(array, slot, format);
         });
  }
  void read(std::uint64_t first, std::span<double> into) const override {
    if (strings_) return Column::read(first, into);
    each(first, into.size(),
         [&](std::size_t i, const ArrowArray& array, std::int64_t slot, const std::string& format) {
           into[i] = number(array, slot, format);
         });
  }

 private:
  /// Calls visit(i, array, slot, format) for each value, those of a dictionary where there is one.
  template <class Visit>
  void each(std::uint64_t first, std::size_t count, const Visit& visit) const {
    auto piece = std::upper_bound(pieces_.begin(), pieces_.end(), first,
                                  [](std::uint64_t at, const Piece& p) { return at < p.begin; }) -
                 1;
    for (std::size_t i = 0; i < count; ++i) {
      while (first + i - piece->begin >= piece->count) ++piece;
      const ArrowArray& array = *piece->array;
      const std::int64_t slot = piece->first + static_cast<std::int64_t>(first + i - piece->begin);
      if (missing(array, slot)) refuse(first + i, "a value", "null");
      if (values_format_.empty()) {
        visit(i, array, slot, format_);
        continue;
      }
      const std::uint64_t number = integer(array, slot, format_, first + i);
      const ArrowArray& values = *array.dictionary;
      const auto code = static_cast<std::int64_t>(number);
      if (number >= static_cast<std::uint64_t>(values.length))
        refuse(first + i, "a code of the dictionary", fmt::format("{}", number));
      if (missing(values, values.offset + code)) refuse(first + i, "a value", "null");
      visit(i, values, values.offset + code, values_format_);
    }
  }

  std::uint64_t integer(const ArrowArray& array, std::int64_t slot, const std::string& format,
                        std::uint64_t at) const {
    const void* const data = array.buffers[1];
    const auto positive = [&](auto value) {
      if (value < 0) refuse(at, "an integer of at least 0", fmt::format("{}", value));
      return static_cast<std::uint64_t>(value);
    };
    switch (format[0]) {
      case 'c':
        return positive(static_cast<int>(value_at<std::int8_t>(data, slot)));
      case 'C':
        return value_at<std::uint8_t>(data, slot);
      case 's':
        return positive(value_at<std::int16_t>(data, slot));
      case 'S':
        return value_at<std::uint16_t>(data, slot);
      case 'i':
        return positive(value_at<std::int32_t>(data, slot));
      case 'I':
        return value_at<std::uint32_t>(data, slot);
      case 'l':
        return positive(value_at<std::int64_t>(data, slot));
      default:
        return value_at<std::uint64_t>(data, slot);
    }
  }

  static double number(const ArrowArray& array, std::int64_t slot, const std::string& format) {
    const void* const data = array.buffers[1];
    switch (format[0]) {
      case 'c':
        return value_at<std::int8_t>(data, slot);
      case 'C':
        return value_at<std::uint8_t>(data, slot);
      case 's':
        return value_at<std::int16_t>(data, slot);
      case 'S':
        return value_at<std::uint16_t>(data, slot);
      case 'i':
        return value_at<std::int32_t>(data, slot);
      case 'I':
        return value_at<std::uint32_t>(data, slot);
      case 'l':
        return static_cast<double>(value_at<std::int64_t>(data, slot));
      case 'L':
        return static_cast<double>(value_at<std::uint64_t>(data, slot));
      case 'f':
        return value_at<float>(data, slot);
      default:
        return value_at<double>(data, slot);
    }
  }

  static std::string_view text(const ArrowArray& array, std::int64_t slot,
                               const std::string& format) {
    if (format[0] == 'v') return view(array, slot);
    const auto* const bytes = static_cast<const char*>(array.buffers[2]);
    const auto between = [&](auto begin, auto end) {
      return std::string_view(bytes + begin, static_cast<std::size_t>(end - begin));
    };
    const void* const offsets = array.buffers[1];
    if (format == "u" || format == "z")
      return between(value_at<std::int32_t>(offsets, slot),
                     value_at<std::int32_t>(offsets, slot + 1));
    return between(value_at<std::int64_t>(offsets, slot),
                   value_at<std::int64_t>(offsets, slot + 1));
  }

  /// A string of a view: up to 12 bytes beside their number, others in one of the buffers.
  static std::string_view view(const ArrowArray& array, std::int64_t slot) {
    const auto* const record = static_cast<const char*>(array.buffers[1]) + slot * 16;
    std::int32_t field[4];
    std::memcpy(field, record, sizeof(field));
    const auto size = static_cast<std::size_t>(field[0]);
    if (size <= 12) return {record + 4, size};
    return {static_cast<const char*>(array.buffers[2 + field[2]]) + field[3], size};
  }

  std::shared_ptr<ArrowTable> table_;
  std::vector<Piece> pieces_;
  std::string format_, values_format_;  // of values in a dictionary
  std::uint64_t size_ = 0;
  bool strings_ = false, integers_ = false;
};

/// The columns of a table that are called so; of a stream that is a column, that one.
std::vector<std::shared_ptr<Column>> arrow_columns(nb::object capsule,
                                                   const std::vector<std::string>& names,
                                                   const std::vector<std::string>& optional,
                                                   const std::string& prefix) {
  const std::shared_ptr<ArrowTable> table = read_stream(capsule);
  const ArrowSchema& schema = table->schema;
  if (std::strcmp(schema.format, "+s") != 0) {
    std::vector<std::shared_ptr<Column>> same;
    for (const std::string& name : names)
      same.push_back(std::make_shared<ArrowColumn>(prefix + name, table, -1));
    return same;
  }
  std::vector<std::string> there;
  for (std::int64_t i = 0; i < schema.n_children; ++i)
    there.emplace_back(schema.children[i]->name ? schema.children[i]->name : "");
  std::vector<std::shared_ptr<Column>> found;
  const auto add = [&](const std::string& name, bool needed) {
    const auto at = std::find(there.rbegin(), there.rend(), name);
    if (at != there.rend()) {
      const std::int64_t child = there.rend() - at - 1;
      found.push_back(std::make_shared<ArrowColumn>(prefix + name, table, child));
    } else if (needed) {
      throw Error(ErrorCode::Usage, fmt::format("the table has no column '{}'; it has '{}'", name,
                                                fmt::join(there, "', '")));
    } else {
      found.push_back(nullptr);
    }
  };
  for (const std::string& name : names) add(name, true);
  for (const std::string& name : optional) add(name, false);
  return found;
}

}  // namespace

void add_arrow_columns(nb::module_& module) {
  module.def("arrow_columns", arrow_columns, nb::arg("stream"), nb::arg("names"),
             nb::arg("optional") = std::vector<std::string>(), nb::arg("prefix") = "",
             "Columns by name, then those that may be missing, None where they are. Messages call\n"
             "them so, behind the prefix.");
}

}  // namespace fathom::python
