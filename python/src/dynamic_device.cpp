#include "dynamic_device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "fathom/core/error.hpp"
#include "fathom/dynamic/labels/label_columns.hpp"

namespace fathom::python {
namespace {

const DeviceColumn* on_device(const ColumnRef& column) {
  return dynamic_cast<const DeviceColumn*>(column.get());
}

std::array<const ColumnRef*, 6> columns_of(const EdgeColumns& edges) {
  return {&edges.source, &edges.target, &edges.weight, &edges.type, &edges.t1, &edges.t2};
}

std::array<const ColumnRef*, 3> columns_of(const VertexColumns& vertices) {
  return {&vertices.label, &vertices.weight, &vertices.type};
}

bool all_on_device(const EdgeColumns& edges) {
  return std::ranges::all_of(columns_of(edges),
                             [](const ColumnRef* c) { return !*c || on_device(*c); });
}

LabelledEdges labelled(const EdgeColumns& edges) {
  LabelledEdges its;
  if (!edges.source) return its;
  its.source = on_device(edges.source)->its();
  its.target = on_device(edges.target)->its();
  if (edges.weight) its.weight = on_device(edges.weight)->its();
  its.size = static_cast<std::size_t>(edges.size());
  return its;
}

const std::shared_ptr<MemoryPool>& memory_of(const Context& ctx) {
  return ctx.devices()[0].memory();
}

/// Answers in an array that keeps the graph, whose memory it is, alive.
template <class T>
struct Kept {
  std::shared_ptr<PyDynamic> graph;
  Array<T> values;  // goes first
};

template <class T>
std::shared_ptr<DeviceArray> array_of(PyDynamic& graph, Array<T> values, std::size_t size,
                                      const char* type) {
  auto kept = std::make_shared<Kept<T>>(graph.shared_from_this(), std::move(values));
  auto array = std::make_shared<DeviceArray>();
  array->values = kept->values.data();
  array->owner = std::move(kept);
  array->shape = {size};
  array->type = type;
  array->ordinal = graph.context().devices()[0].ordinal();
  return array;
}

/// Room for so many; memory of no bytes would have no address.
template <class T>
Array<T> room(const Context& ctx, std::size_t n) {
  return Array<T>(std::max<std::size_t>(1, n), memory_of(ctx));
}

/// Questions as the graph takes them, or what is wrong with them.
struct DeviceQuestions {
  DeviceQuestions(PyDynamic& graph, const EdgeColumns& edges)
      : ctx(graph.context()), size(static_cast<std::size_t>(edges.size())) {
    check_places(ctx, edges);
    wait_for_writers(ctx);
    asked = room<Edge>(ctx, size);
    known = room<std::uint8_t>(ctx, size);
    const auto names = graph.labels().names();
    if (names && dynamic::read_questions(ctx, *names, labelled(edges), asked.data(), known.data()))
      return;
    const EdgeColumns copy = on_host(ctx, edges);
    static_cast<void>(graph.labels().find(*copy.source));
    static_cast<void>(graph.labels().find(*copy.target));
    throw Error(ErrorCode::Internal, "questions were refused on a GPU that the host takes");
  }

  const Context& ctx;
  std::size_t size;
  Array<Edge> asked;
  Array<std::uint8_t> known;
};

}  // namespace

bool any_on_device(const ColumnRef& column) {
  return on_device(column) != nullptr;
}

bool any_on_device(const EdgeColumns& edges) {
  return std::ranges::any_of(columns_of(edges),
                             [](const ColumnRef* c) { return on_device(*c) != nullptr; });
}

bool any_on_device(const VertexColumns& vertices) {
  return std::ranges::any_of(columns_of(vertices),
                             [](const ColumnRef* c) { return on_device(*c) != nullptr; });
}

void check_places(const Context& ctx, const ColumnRef& column) {
  if (const DeviceColumn* const its = on_device(column)) its->check_place(ctx);
}

void check_places(const Context& ctx, const EdgeColumns& edges) {
  for (const ColumnRef* const column : columns_of(edges)) check_places(ctx, *column);
}

void check_places(const Context& ctx, const VertexColumns& vertices) {
  for (const ColumnRef* const column : columns_of(vertices)) check_places(ctx, *column);
}

ColumnRef on_host(const Context& ctx, const ColumnRef& column) {
  const DeviceColumn* const its = on_device(column);
  return its ? its->on_host(ctx) : column;
}

EdgeColumns on_host(const Context& ctx, const EdgeColumns& edges) {
  return {on_host(ctx, edges.source), on_host(ctx, edges.target), on_host(ctx, edges.weight),
          on_host(ctx, edges.type),   on_host(ctx, edges.t1),     on_host(ctx, edges.t2)};
}

VertexColumns on_host(const Context& ctx, const VertexColumns& vertices) {
  return {on_host(ctx, vertices.label), on_host(ctx, vertices.weight), on_host(ctx, vertices.type)};
}

std::optional<DeviceUpdates> updates_on_device(const Context& ctx, const DynamicLabels& labels,
                                               const EdgeColumns& remove,
                                               const EdgeColumns& insert) {
  const bool any = any_on_device(remove) || any_on_device(insert);
  const auto names = labels.names();
  if (!any || !names || insert.has_fields() || !all_on_device(remove) || !all_on_device(insert))
    return std::nullopt;
  const LabelledEdges gone = labelled(remove), come = labelled(insert);
  DeviceUpdates updates;
  updates.edges = room<EdgeUpdate>(ctx, gone.size + come.size);
  if (!dynamic::read_updates(ctx, *names, gone, true, updates.edges.data())) return std::nullopt;
  const auto rounded =
      dynamic::read_updates(ctx, *names, come, false, updates.edges.data() + gone.size);
  if (!rounded) return std::nullopt;
  updates.rounded_weights = *rounded;
  return updates;
}

std::shared_ptr<DeviceArray> has_edges_on_device(PyDynamic& graph, const EdgeColumns& edges) {
  std::shared_ptr<DeviceArray> array;
  graph.alone([&] {
    const DeviceQuestions questions(graph, edges);
    Array<std::uint8_t> has = room<std::uint8_t>(questions.ctx, questions.size);
    if (graph.graph().vertices() > 0)
      graph.graph().has_edges_on_device({questions.asked.data(), questions.size},
                                        {has.data(), questions.size});
    dynamic::mask_answers(questions.ctx, {questions.known.data(), has.data(), nullptr},
                          questions.size);
    array = array_of(graph, std::move(has), questions.size, "|b1");
  });
  return array;
}

std::shared_ptr<DeviceArray> weights_on_device(PyDynamic& graph, const EdgeColumns& edges) {
  std::shared_ptr<DeviceArray> array;
  graph.alone([&] {
    const DeviceQuestions questions(graph, edges);
    Array<Weight> weight = room<Weight>(questions.ctx, questions.size);
    if (graph.graph().vertices() > 0)
      graph.graph().weights_on_device({questions.asked.data(), questions.size},
                                      {weight.data(), questions.size});
    dynamic::mask_answers(questions.ctx, {questions.known.data(), nullptr, weight.data()},
                          questions.size);
    array = array_of(graph, std::move(weight), questions.size, "<f4");
  });
  return array;
}

std::shared_ptr<DeviceArray> degrees_on_device(PyDynamic& graph, const ColumnRef& vertices) {
  std::shared_ptr<DeviceArray> array;
  graph.alone([&] {
    const Context& ctx = graph.context();
    const DeviceColumn& column = *on_device(vertices);
    column.check_place(ctx);
    wait_for_writers(ctx);
    const auto n = static_cast<std::size_t>(column.size());
    Array<VertexId> asked = room<VertexId>(ctx, n);
    const auto names = graph.labels().names();
    if (!names || !dynamic::read_vertices(ctx, *names, column.its(), n, asked.data())) {
      static_cast<void>(known_vertices(graph.labels(), *column.on_host(ctx)));
      throw Error(ErrorCode::Internal, "questions were refused on a GPU that the host takes");
    }
    Array<EdgeId> degree = room<EdgeId>(ctx, n);
    graph.graph().degrees_on_device({asked.data(), n}, {degree.data(), n});
    array = array_of(graph, std::move(degree), n, "<i8");
  });
  return array;
}

}  // namespace fathom::python
