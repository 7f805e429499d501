#include "dynamic_fields.hpp"

#include <fmt/format.h>
#include <nanobind/stl/shared_ptr.h>

#include <atomic>
#include <limits>

#include "arrays.hpp"
#include "dynamic_device.hpp"
#include "dynamic_questions.hpp"
#include "fathom/core/error.hpp"
#include "fathom/core/parallel.hpp"
#include "fathom/store/field_sections.hpp"

namespace fathom::python {
namespace {

constexpr std::size_t kChunk = std::size_t{1} << 14;

/// Calls take(i, value) for the values [first, last) of a column, if there is one.
template <class Take>
void each_integer(const ColumnRef& column, std::size_t first, std::size_t last, const Take& take) {
  if (!column) return;
  std::vector<std::uint64_t> values(last - first);
  column->read(first, values);
  for (std::size_t i = first; i < last; ++i) take(i, values[i - first]);
}

std::uint32_t type_of(std::uint64_t value, const Column& column, std::size_t at) {
  constexpr std::uint32_t kMost = std::numeric_limits<std::uint32_t>::max();
  if (value > kMost)
    throw Error(ErrorCode::BadInput, fmt::format("{}[{}]: expected a type from 0 to {}, found {}",
                                                 column.name(), at, kMost, value));
  return static_cast<std::uint32_t>(value);
}

template <class T, class Of>
nb::object array_of(std::size_t size, const Of& of) {
  std::vector<T> values(size);
  for (std::size_t i = 0; i < size; ++i) values[i] = of(i);
  return owned_array(std::move(values));
}

/// Of the edges asked about, also those that are on a GPU.
nb::tuple fields(PyDynamic& graph, const nb::object& edges) {
  EdgeColumns columns = edge_columns(edges);
  check_sizes(columns);
  std::vector<EdgeFields> fields;
  graph.alone([&] {
    if (any_on_device(columns)) {
      check_places(graph.context(), columns);
      wait_for_writers(graph.context());
      columns = on_host(graph.context(), columns);
    }
    const EdgeQuestions questions(graph.labels(), columns);
    fields = questions.answers(graph.graph().fields(questions.asked), EdgeFields{});
  });
  return field_arrays(fields);
}

/// (weight, type).
nb::tuple vertex_fields(PyDynamic& graph, const ColumnRef& vertices) {
  std::vector<VertexFields> fields;
  graph.alone([&] {
    if (any_on_device(vertices)) {
      check_places(graph.context(), vertices);
      wait_for_writers(graph.context());
    }
    fields = graph.graph().vertex_fields(
        known_vertices(graph.labels(), *on_host(graph.context(), vertices)));
  });
  return nb::make_tuple(
      array_of<Weight>(fields.size(), [&](std::size_t i) { return fields[i].weight; }),
      array_of<std::uint32_t>(fields.size(), [&](std::size_t i) { return fields[i].type; }));
}

nb::tuple stored_fields(PyGraph& graph) {
  store::StoredFields fields;
  graph.without_session(
      [&](const Task&) { fields = store::read_fields(graph.store(), 0, MemoryPool::unlimited()); });
  return field_arrays(fields.edges.span());
}

}  // namespace

void read_fields(const EdgeColumns& edges, std::span<EdgeFields> into, int threads) {
  parallel_for(threads, into.size(), kChunk, [&](std::size_t a, std::size_t b, int) {
    each_integer(edges.type, a, b, [&](std::size_t i, std::uint64_t value) {
      into[i].type = type_of(value, *edges.type, i);
    });
    each_integer(edges.t1, a, b, [&](std::size_t i, std::uint64_t value) { into[i].t1 = value; });
    each_integer(edges.t2, a, b, [&](std::size_t i, std::uint64_t value) { into[i].t2 = value; });
  });
}

std::vector<VertexFields> read_fields(const VertexColumns& vertices, int threads,
                                      std::uint64_t& rounded) {
  std::vector<VertexFields> fields(static_cast<std::size_t>(vertices.size()));
  std::atomic<std::uint64_t> inexact{0};
  parallel_for(threads, fields.size(), kChunk, [&](std::size_t a, std::size_t b, int) {
    each_integer(vertices.type, a, b, [&](std::size_t i, std::uint64_t value) {
      fields[i].type = type_of(value, *vertices.type, i);
    });
    if (!vertices.weight) return;
    std::vector<double> weights(b - a);
    vertices.weight->read(a, weights);
    std::uint64_t its = 0;
    for (std::size_t i = a; i < b; ++i)
      fields[i].weight = weight_of(weights[i - a], vertices.weight->name(), i, its);
    inexact += its;
  });
  rounded += inexact;
  return fields;
}

nb::tuple field_arrays(std::span<const EdgeFields> fields) {
  const std::size_t n = fields.size();
  return nb::make_tuple(array_of<std::uint32_t>(n, [&](std::size_t i) { return fields[i].type; }),
                        array_of<std::uint64_t>(n, [&](std::size_t i) { return fields[i].t1; }),
                        array_of<std::uint64_t>(n, [&](std::size_t i) { return fields[i].t2; }));
}

void add_fields(nb::module_& module, nb::class_<PyDynamic>& graph) {
  graph.def_prop_ro("semantic", &PyDynamic::semantic)
      .def("fields", fields, nb::arg("edges"))
      .def("vertex_fields", vertex_fields, nb::arg("vertices"));
  module.def("edge_fields", stored_fields, nb::arg("graph"),
             "(type, t1, t2) of the edges of a semantic graph, in the order of its lists.");
}

}  // namespace fathom::python
