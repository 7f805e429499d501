// What Python calls of a graph that changes.
#include <fmt/format.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>

#include "arrays.hpp"
#include "dynamic.hpp"
#include "dynamic_device.hpp"
#include "dynamic_fields.hpp"
#include "dynamic_questions.hpp"
#include "dynamic_rows.hpp"
#include "fathom/core/error.hpp"

namespace fathom::python {

std::vector<VertexId> known_vertices(const DynamicLabels& labels, const Column& column) {
  std::vector<VertexId> vertices = labels.find(column);
  const auto unknown = std::find(vertices.begin(), vertices.end(), kNoVertex);
  if (unknown == vertices.end()) return vertices;
  const auto at = static_cast<std::uint64_t>(unknown - vertices.begin());
  std::string label;
  if (column.strings()) {
    std::string_view text;
    column.read(at, std::span(&text, 1));
    label = fmt::format("'{}'", text);
  } else {
    std::uint64_t value = 0;
    column.read(at, std::span(&value, 1));
    label = fmt::format("{}", value);
  }
  throw Error(ErrorCode::Usage,
              fmt::format("{}[{}]: the graph has no vertex {}", column.name(), at, label));
}

EdgeColumns edge_columns(const nb::object& given) {
  if (given.is_none()) return {};
  auto columns = nb::cast<std::vector<ColumnRef>>(given);
  columns.resize(6);
  return {columns[0], columns[1], columns[2], columns[3], columns[4], columns[5]};
}

EdgeQuestions::EdgeQuestions(const DynamicLabels& labels, const EdgeColumns& edges) {
  const std::vector<VertexId> source = labels.find(*edges.source);
  const std::vector<VertexId> target = labels.find(*edges.target);
  for (std::size_t i = 0; i < source.size(); ++i) {
    if (source[i] == kNoVertex || target[i] == kNoVertex) continue;
    asked.push_back({source[i], target[i]});
    at.push_back(i);
  }
  all = source.size();
}

namespace {

/// (label, weight or None, type or None), or None.
VertexColumns vertex_columns(const nb::object& given) {
  if (given.is_none()) return {};
  const auto columns = nb::cast<std::vector<ColumnRef>>(given);
  return {columns.at(0), columns.at(1), columns.at(2)};
}

nb::dict apply(PyDynamic& graph, const nb::object& insert, const nb::object& remove,
               const nb::object& vertices, const ColumnRef& gone) {
  const Applied its =
      graph.apply(edge_columns(remove), edge_columns(insert), vertex_columns(vertices), gone);
  nb::dict said;
  said["number"] = its.report.number;
  said["inserted"] = its.report.inserted;
  said["overwritten"] = its.report.overwritten;
  said["ignored"] = its.report.ignored;
  said["removed"] = its.report.removed;
  said["missing"] = its.report.missing;
  said["superseded"] = its.report.superseded;
  said["new_vertices"] = its.new_vertices;
  said["deleted_vertices"] = its.gone_vertices;
  said["without_effect"] = its.without_effect;
  said["rounded_weights"] = its.rounded_weights;
  said["seconds"] = its.report.seconds;
  return said;
}

nb::object has_edges(PyDynamic& graph, const nb::object& edges) {
  const EdgeColumns columns = edge_columns(edges);
  check_sizes(columns);
  if (any_on_device(columns)) return nb::cast(has_edges_on_device(graph, columns));
  std::vector<std::uint8_t> has;
  graph.alone([&] {
    const EdgeQuestions questions(graph.labels(), columns);
    has = questions.answers(graph.graph().has_edges(questions.asked), std::uint8_t{0});
  });
  return owned_array(std::move(has));
}

nb::object weights(PyDynamic& graph, const nb::object& edges) {
  const EdgeColumns columns = edge_columns(edges);
  check_sizes(columns);
  if (any_on_device(columns)) return nb::cast(weights_on_device(graph, columns));
  std::vector<Weight> weight;
  graph.alone([&] {
    const EdgeQuestions questions(graph.labels(), columns);
    weight = questions.answers(graph.graph().weights(questions.asked),
                               std::numeric_limits<Weight>::quiet_NaN());
  });
  return owned_array(std::move(weight));
}

nb::object degrees(PyDynamic& graph, const ColumnRef& vertices) {
  if (any_on_device(vertices)) return nb::cast(degrees_on_device(graph, vertices));
  std::vector<EdgeId> degree;
  graph.alone([&] { degree = graph.graph().degrees(known_vertices(graph.labels(), *vertices)); });
  std::vector<std::int64_t> its(degree.begin(), degree.end());
  return owned_array(std::move(its));
}

bool has_vertex(PyDynamic& graph, const ColumnRef& vertex) {
  bool has = false;
  graph.alone([&] { has = graph.labels().find(*vertex)[0] != kNoVertex; });
  return has;
}

/// The list of a vertex and the labels of its targets, ascending by them.
struct NearVertices {
  NearVertices(PyDynamic& graph, const ColumnRef& vertex) {
    lists = graph.graph().neighbors(known_vertices(graph.labels(), *vertex), &fields);
    rows = graph.labels().rows();
    order.resize(lists.edges());
    std::iota(order.begin(), order.end(), EdgeId{0});
    std::stable_sort(order.begin(), order.end(), [&](EdgeId a, EdgeId b) {
      const VertexId u = lists.target[a], v = lists.target[b];
      return rows->strings ? rows->text[u] < rows->text[v]
                           : rows->integer_of(u) < rows->integer_of(v);
    });
  }
  template <class T>
  std::vector<T> in_order(const Array<T>& values) const {
    std::vector<T> its;
    its.reserve(order.size());
    for (const EdgeId e : order) its.push_back(values[e]);
    return its;
  }

  Csr lists;
  Array<EdgeFields> fields;
  std::shared_ptr<const LabelRows> rows;
  std::vector<EdgeId> order;
};

/// (labels, weights or None, fields or None) of one vertex, ascending by label.
nb::tuple neighbors(PyDynamic& graph, const ColumnRef& vertex) {
  std::optional<NearVertices> near;
  graph.alone([&] { near.emplace(graph, vertex); });
  const LabelRows& rows = *near->rows;
  nb::object weights = nb::none(), fields = nb::none(), labels;
  if (graph.weighted()) weights = owned_array(near->in_order(near->lists.weight));
  if (graph.semantic()) fields = field_arrays(near->in_order(near->fields));
  const std::vector<VertexId> targets = near->in_order(near->lists.target);
  if (rows.strings) {
    nb::list all;
    for (const VertexId v : targets) all.append(label_object(rows, v));
    labels = all;
  } else {
    std::vector<std::uint64_t> all;
    for (const VertexId v : targets) all.push_back(rows.integer_of(v));
    labels = integer_array(std::move(all));
  }
  return nb::make_tuple(labels, weights, fields);
}

/// Of the graph at one time.
nb::dict counts(PyDynamic& graph) {
  std::uint64_t vertices = 0, edges = 0, batches = 0;
  graph.alone([&] {
    vertices = graph.graph().existing_vertices();
    edges = graph.graph().edges();
    batches = graph.graph().batches();
  });
  nb::dict all;
  all["vertices"] = vertices;
  all["edges"] = edges;
  all["batches"] = batches;
  return all;
}

nb::dict memory(PyDynamic& graph) {
  DynamicMemory memory;
  graph.alone([&] { memory = graph.graph().memory(); });
  nb::dict all;
  all["page_bytes"] = memory.page_bytes;
  all["reserved_bytes"] = memory.reserved_bytes;
  all["host_bytes"] = memory.host_bytes;
  all["record_bytes"] = memory.record_bytes;
  all["snapshot_bytes"] = memory.snapshot_bytes;
  return all;
}

}  // namespace

void add_dynamic(nb::module_& module) {
  nb::class_<PyDynamic> its_class(module, "DynamicGraph");
  its_class.def_prop_ro("directed", &PyDynamic::directed)
      .def_prop_ro("weighted", &PyDynamic::weighted)
      .def_prop_ro("strings", &PyDynamic::strings)
      .def_prop_ro("on_gpu", &PyDynamic::on_gpu)
      .def_prop_ro("device", &PyDynamic::device)
      .def("apply", apply, nb::arg("insert").none(), nb::arg("remove").none(),
           nb::arg("vertices").none(), nb::arg("gone").none())
      .def("has_edges", has_edges, nb::arg("edges"))
      .def("weights", weights, nb::arg("edges"))
      .def("degrees", degrees, nb::arg("vertices"))
      .def("has_vertex", has_vertex, nb::arg("vertex"))
      .def("neighbors", neighbors, nb::arg("vertex"))
      .def("counts", counts)
      .def("memory", memory)
      .def("rows", [](PyDynamic& graph) {
        PyRows rows;
        graph.alone([&] { rows.its = graph.labels().rows(); });
        return rows;
      });
  add_fields(module, its_class);
  module.def(
      "dynamic_graph",
      [](const std::shared_ptr<PyGraph>& from, bool strings, const Words& words) {
        return std::make_shared<PyDynamic>(from, strings, words);
      },
      nb::arg("graph").none(), nb::arg("strings"), nb::arg("words"));
}

}  // namespace fathom::python
