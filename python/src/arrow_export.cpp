// Arrays and lists of strings as a stream of one Arrow table, which keeps them alive.
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "arrow.hpp"
#include "call.hpp"
#include "columns.hpp"
#include "fathom/core/error.hpp"

namespace fathom::python {
namespace {

using AnyArray = nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

struct ExportedColumn {
  std::string name, format;
  AnyArray array;                    // of numbers
  std::vector<std::int64_t> offset;  // of strings
  std::string bytes;
  std::vector<std::uint8_t> valid;  // a bit per row; empty: there are no nulls
  std::int64_t nulls = 0;
};

struct ExportedTable {
  std::vector<ExportedColumn> columns;
  std::int64_t rows = 0;
};

/// Arrays of Python go where its lock is held, whoever lets go of them last.
using Table = std::shared_ptr<const ExportedTable>;
Table shared(std::unique_ptr<ExportedTable> table) {
  return {table.release(), [](const ExportedTable* its) {
            if (!Py_IsInitialized()) return;
            const Awake taking;
            if (taking.too_late()) return;
            const nb::gil_scoped_acquire locked;
            delete its;
          }};
}

std::string format_of(const AnyArray& array) {
  const nb::dlpack::dtype type = array.dtype();
  const bool wide = type.bits == 64;
  if (type.lanes == 1 && (wide || type.bits == 32)) {
    if (type.code == static_cast<std::uint8_t>(nb::dlpack::dtype_code::Int))
      return wide ? "l" : "i";
    if (type.code == static_cast<std::uint8_t>(nb::dlpack::dtype_code::UInt))
      return wide ? "L" : "I";
    if (type.code == static_cast<std::uint8_t>(nb::dlpack::dtype_code::Float))
      return wide ? "g" : "f";
  }
  throw Error(ErrorCode::Usage, "an array of this type cannot be given to Arrow");
}

using Absent = nb::ndarray<const bool, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

/// Row `i` of `rows` has no value.
void set_null(ExportedColumn& column, std::size_t i, std::size_t rows) {
  if (column.valid.empty()) column.valid.assign((rows + 7) / 8, 0xFF);
  column.valid[i / 8] = static_cast<std::uint8_t>(column.valid[i / 8] & ~(1U << (i % 8)));
  ++column.nulls;
}

/// @param values  an array; (array, absent) with a bool for each row; or a list of str and None.
ExportedColumn column_of(const std::string& name, nb::handle values) {
  ExportedColumn column;
  column.name = name;
  if (!nb::isinstance<nb::list>(values)) {
    const bool some = nb::isinstance<nb::tuple>(values);
    column.array = nb::cast<AnyArray>(some ? nb::object(values[0]) : nb::borrow(values));
    column.format = format_of(column.array);
    if (!some) return column;
    const auto absent = nb::cast<Absent>(values[1]);
    if (absent.size() != column.array.size())
      throw Error(ErrorCode::Internal, name + ": a column and what is absent differ in length");
    for (std::size_t i = 0; i < absent.size(); ++i)
      if (absent.data()[i]) set_null(column, i, absent.size());
    return column;
  }
  column.format = "U";
  column.offset.push_back(0);
  const auto texts = nb::borrow<nb::list>(values);
  for (const nb::handle value : texts) {
    if (value.is_none()) {
      set_null(column, column.offset.size() - 1, texts.size());
      column.offset.push_back(static_cast<std::int64_t>(column.bytes.size()));
      continue;
    }
    // What is no UTF-8 is given on as an escape.
    const nb::object utf8 =
        nb::steal(PyUnicode_AsEncodedString(value.ptr(), "utf-8", "backslashreplace"));
    if (!utf8.is_valid()) throw nb::python_error();
    const nb::bytes bytes = nb::borrow<nb::bytes>(utf8);
    column.bytes.append(bytes.c_str(), bytes.size());
    column.offset.push_back(static_cast<std::int64_t>(column.bytes.size()));
  }
  return column;
}

std::int64_t rows_of(const ExportedColumn& column) {
  return static_cast<std::int64_t>(column.format == "U" ? column.offset.size() - 1
                                                        : column.array.size());
}

struct StreamParts {
  Table table;
  bool given = false;
};

// Each structure keeps what it points to in its private_data, and its children release themselves.

struct SchemaParts {
  Table table;
  std::vector<ArrowSchema> children;
  std::vector<ArrowSchema*> pointers;
};

void release_schema(ArrowSchema* schema) {
  for (std::int64_t i = 0; i < schema->n_children; ++i)
    if (schema->children[i]->release) schema->children[i]->release(schema->children[i]);
  delete static_cast<SchemaParts*>(schema->private_data);
  schema->release = nullptr;
}

int get_schema(ArrowArrayStream* stream, ArrowSchema* out) {
  const Table& table = static_cast<StreamParts*>(stream->private_data)->table;
  auto parts = std::make_unique<SchemaParts>();
  parts->table = table;
  for (const ExportedColumn& column : table->columns) {
    ArrowSchema child{};
    child.format = column.format.c_str();
    child.name = column.name.c_str();
    child.flags = column.nulls > 0 ? kArrowNullable : 0;
    child.release = [](ArrowSchema* its) { its->release = nullptr; };
    parts->children.push_back(child);
  }
  for (ArrowSchema& child : parts->children) parts->pointers.push_back(&child);
  *out = {};
  out->format = "+s";
  out->name = "";
  out->n_children = static_cast<std::int64_t>(parts->pointers.size());
  out->children = parts->pointers.data();
  out->release = release_schema;
  out->private_data = parts.release();
  return 0;
}

/// A child may be moved out of its parent: it keeps the table itself.
struct ArrayParts {
  Table table;
  std::vector<const void*> buffers;
};

struct TableParts {
  std::vector<ArrowArray> children;
  std::vector<ArrowArray*> pointers;
  const void* buffer = nullptr;
};

ArrowArray array_of(const Table& table, const ExportedColumn& column) {
  auto parts = std::make_unique<ArrayParts>();
  parts->table = table;
  const bool text = column.format == "U";
  const void* const valid = column.nulls > 0 ? column.valid.data() : nullptr;
  if (text)
    parts->buffers = {valid, column.offset.data(), column.bytes.data()};
  else
    parts->buffers = {valid, column.array.data()};
  ArrowArray array{};
  array.length = rows_of(column);
  array.null_count = column.nulls;
  array.n_buffers = static_cast<std::int64_t>(parts->buffers.size());
  array.buffers = parts->buffers.data();
  array.release = [](ArrowArray* its) {
    delete static_cast<ArrayParts*>(its->private_data);
    its->release = nullptr;
  };
  array.private_data = parts.release();
  return array;
}

void release_table(ArrowArray* array) {
  for (std::int64_t i = 0; i < array->n_children; ++i)
    if (array->children[i]->release) array->children[i]->release(array->children[i]);
  delete static_cast<TableParts*>(array->private_data);
  array->release = nullptr;
}

/// The table, and then the end: a released array.
int get_next(ArrowArrayStream* stream, ArrowArray* out) {
  auto& state = *static_cast<StreamParts*>(stream->private_data);
  *out = {};
  if (std::exchange(state.given, true)) return 0;
  const Table& table = state.table;
  auto parts = std::make_unique<TableParts>();
  for (const ExportedColumn& column : table->columns)
    parts->children.push_back(array_of(table, column));
  for (ArrowArray& child : parts->children) parts->pointers.push_back(&child);
  out->length = table->rows;
  out->n_buffers = 1;
  out->buffers = &parts->buffer;
  out->n_children = static_cast<std::int64_t>(parts->pointers.size());
  out->children = parts->pointers.data();
  out->release = release_table;
  out->private_data = parts.release();
  return 0;
}

void release_stream(ArrowArrayStream* stream) {
  delete static_cast<StreamParts*>(stream->private_data);
  stream->release = nullptr;
}

nb::object arrow_stream(const std::vector<std::string>& names, const nb::list& columns) {
  auto table = std::make_unique<ExportedTable>();
  for (std::size_t i = 0; i < names.size(); ++i)
    table->columns.push_back(column_of(names[i], columns[i]));
  table->rows = table->columns.empty() ? 0 : rows_of(table->columns.front());
  auto stream = std::make_unique<ArrowArrayStream>();
  *stream = {get_schema, get_next, [](ArrowArrayStream*) -> const char* { return nullptr; },
             release_stream, new StreamParts{shared(std::move(table))}};
  const auto release = [](PyObject* capsule) {
    auto* const its =
        static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(capsule, "arrow_array_stream"));
    if (its->release) its->release(its);
    delete its;
  };
  return nb::steal(PyCapsule_New(stream.release(), "arrow_array_stream", release));
}

}  // namespace

void add_arrow_export(nb::module_& module) {
  module.def("arrow_stream", arrow_stream, nb::arg("names"), nb::arg("columns"));
}

}  // namespace fathom::python
