// What a graph that changes answers in bulk between two batches.
#include <algorithm>
#include <limits>
#include <string>

#include "fathom/core/error.hpp"
#include "fathom/core/parallel.hpp"
#include "fathom/dynamic/dynamic_state.hpp"
#include "fathom/dynamic/lists/find_edge.hpp"

namespace fathom {
namespace {

constexpr std::size_t kQueryGrain = 256;

void check_query(VertexId v, VertexId vertices) {
  if (v >= vertices)
    throw Error(ErrorCode::Usage, "vertex " + std::to_string(v) +
                                      " was asked about, and there are " +
                                      std::to_string(vertices));
}

void check_edges_of(const DynamicGraph& graph, std::span<const Edge> edges) {
  for (const Edge& e : edges) {
    check_query(e.source, graph.vertices());
    check_query(e.target, graph.vertices());
  }
}

template <class Query>
void each_query(int threads, std::size_t n, const Query& query) {
  parallel_for(threads, n, kQueryGrain, [&](std::size_t a, std::size_t b, int) {
    for (std::size_t i = a; i < b; ++i) query(i);
  });
}

std::vector<VertexFields> look_up_vertices(const dynamic::VertexTable& table,
                                           std::span<const VertexId> asked, VertexId vertices) {
  std::vector<VertexFields> fields(asked.size());
  const std::size_t answered = table.look_up(asked, vertices, fields.data(), false);
  if (answered < asked.size()) check_query(asked[answered], vertices);
  return fields;
}

/// Asks the GPU that has the lists.
void look_up_on_gpu(const DynamicGraph& graph, std::span<const Edge> edges,
                    const dynamic::EdgeAnswers& to) {
  graph.state()->check_at_rest();
  const std::size_t answered = graph.state()->gpu->find(edges, to, false);
  if (answered < edges.size()) check_edges_of(graph, edges.subspan(answered, 1));
}

/// answer(i, the edge as it is found) for each; lists are on the host.
template <class Answer>
void look_up(const DynamicGraph& graph, std::span<const Edge> edges, const Answer& answer) {
  graph.state()->check_at_rest();
  check_edges_of(graph, edges);
  const DynamicEdges lists = graph.state()->view(false);
  each_query(graph.state()->threads(), edges.size(), [&](std::size_t i) {
    answer(i, dynamic::find_edge(lists, edges[i].source, edges[i].target));
  });
}

/// The GPU's lists, for as many answers as there are questions. @throws Error(Usage)
const dynamic::GpuLists& lists_on_device(const DynamicGraph::State& state, std::size_t questions,
                                         std::size_t answers) {
  state.check_at_rest();
  if (!state.gpu)
    throw Error(ErrorCode::Usage,
                "questions in the memory of a GPU are for graphs that change in it, and this one "
                "is in host memory");
  state.check_in_one_memory("a question in the memory of a GPU");
  if (questions != answers)
    throw Error(ErrorCode::Usage, std::to_string(questions) + " questions do not have " +
                                      std::to_string(answers) + " answers");
  return *state.gpu;
}

/// Names the question that was not answered, which is in the GPU's memory.
template <class Question, class Check>
void check_answered(const DynamicGraph::State& state, std::span<const Question> asked,
                    std::size_t answered, const Check& check) {
  if (answered == asked.size()) return;
  Question bad;
  state.ctx->copy(&bad, asked.data() + answered, sizeof(bad));
  check(bad);
}

/// The lists of some vertices, of lists in host memory.
Csr lists_of(const DynamicGraph::State& graph, DynamicEdges lists,
             std::span<const VertexId> vertices, Array<EdgeFields>* fields) {
  const std::size_t each = lists.layout.records();
  std::vector<DynamicRecord> record(vertices.size() * each);
  for (std::size_t i = 0; i < vertices.size(); ++i)
    std::copy_n(lists.record + vertices[i] * each, each, record.data() + i * each);
  lists.record = record.data();
  return dynamic::to_csr(lists, static_cast<VertexId>(vertices.size()), graph.threads(),
                         graph.ctx->host_memory(), fields);
}

/// The same of lists in CSR; `all_fields` as to_csr() gives them.
Csr picked(const Csr& all, const Array<EdgeFields>& all_fields, std::span<const VertexId> vertices,
           const std::shared_ptr<MemoryPool>& pool, Array<EdgeFields>* fields) {
  Csr some;
  some.offset = Array<EdgeId>(vertices.size() + 1, pool);
  some.offset[0] = 0;
  for (std::size_t i = 0; i < vertices.size(); ++i)
    some.offset[i + 1] =
        some.offset[i] + all.offset[vertices[i] + std::size_t{1}] - all.offset[vertices[i]];
  const EdgeId edges = some.offset[vertices.size()];
  const auto pick = [&](const auto& from, auto& to) {
    using Values = std::remove_reference_t<decltype(to)>;
    if (from.empty()) return;
    to = Values(edges, pool);
    for (std::size_t i = 0; i < vertices.size(); ++i)
      std::copy_n(from.data() + all.offset[vertices[i]], some.offset[i + 1] - some.offset[i],
                  to.data() + some.offset[i]);
  };
  pick(all.target, some.target);
  pick(all.weight, some.weight);
  if (fields) pick(all_fields, *fields);
  return some;
}

}  // namespace

std::vector<std::uint8_t> DynamicGraph::has_edges(std::span<const Edge> edges) const {
  std::vector<std::uint8_t> has(edges.size());
  if (state_->gpu)
    look_up_on_gpu(*this, edges, {has.data(), nullptr});
  else
    look_up(*this, edges,
            [&](std::size_t i, const dynamic::FoundEdge& e) { has[i] = e.found ? 1 : 0; });
  return has;
}

std::vector<Weight> DynamicGraph::weights(std::span<const Edge> edges) const {
  std::vector<Weight> weight(edges.size());
  if (state_->gpu)
    look_up_on_gpu(*this, edges, {nullptr, weight.data()});
  else
    look_up(*this, edges, [&](std::size_t i, const dynamic::FoundEdge& e) {
      weight[i] = e.found ? e.weight : std::numeric_limits<Weight>::quiet_NaN();
    });
  return weight;
}

std::vector<EdgeId> DynamicGraph::degrees(std::span<const VertexId> vertices) const {
  state_->check_at_rest();
  std::vector<EdgeId> degree(vertices.size());
  if (state_->gpu) {
    const std::size_t answered = state_->gpu->degrees(vertices, degree.data(), false);
    if (answered < vertices.size()) check_query(vertices[answered], this->vertices());
    return degree;
  }
  for (const VertexId v : vertices) check_query(v, this->vertices());
  for (std::size_t i = 0; i < vertices.size(); ++i)
    degree[i] = state_->out.view().degree(vertices[i]);
  return degree;
}

void DynamicGraph::has_edges_on_device(std::span<const Edge> edges,
                                       std::span<std::uint8_t> has) const {
  const auto& lists = lists_on_device(*state_, edges.size(), has.size());
  check_answered(*state_, edges, lists.find(edges, {has.data(), nullptr}, true),
                 [&](const Edge& e) {
                   check_edges_of(*this, {&e, 1});
                 });
}

void DynamicGraph::weights_on_device(std::span<const Edge> edges, std::span<Weight> weights) const {
  const auto& lists = lists_on_device(*state_, edges.size(), weights.size());
  check_answered(*state_, edges, lists.find(edges, {nullptr, weights.data()}, true),
                 [&](const Edge& e) {
                   check_edges_of(*this, {&e, 1});
                 });
}

void DynamicGraph::degrees_on_device(std::span<const VertexId> vertices,
                                     std::span<EdgeId> degrees) const {
  const auto& lists = lists_on_device(*state_, vertices.size(), degrees.size());
  check_answered(*state_, vertices, lists.degrees(vertices, degrees.data(), true),
                 [&](VertexId v) { check_query(v, this->vertices()); });
}

std::vector<EdgeFields> DynamicGraph::fields(std::span<const Edge> edges) const {
  state_->check_at_rest();
  std::vector<EdgeFields> fields(edges.size());
  if (state_->gpu) {
    look_up_on_gpu(*this, edges, {nullptr, nullptr, fields.data()});
    return fields;
  }
  check_edges_of(*this, edges);
  if (!semantic()) return fields;
  const DynamicEdges lists = state_->view(false);
  each_query(state_->threads(), edges.size(), [&](std::size_t i) {
    fields[i] = dynamic::find_fields(lists, edges[i].source, edges[i].target);
  });
  return fields;
}

void DynamicGraph::fields_on_device(std::span<const Edge> edges,
                                    std::span<EdgeFields> fields) const {
  const auto& lists = lists_on_device(*state_, edges.size(), fields.size());
  check_answered(*state_, edges, lists.find(edges, {nullptr, nullptr, fields.data()}, true),
                 [&](const Edge& e) {
                   check_edges_of(*this, {&e, 1});
                 });
}

std::vector<VertexFields> DynamicGraph::vertex_fields(std::span<const VertexId> vertices) const {
  return look_up_vertices(*state_->vertex_fields, vertices, this->vertices());
}

void DynamicGraph::vertex_fields_on_device(std::span<const VertexId> vertices,
                                           std::span<VertexFields> fields) const {
  static_cast<void>(lists_on_device(*state_, vertices.size(), fields.size()));
  const dynamic::VertexTable& table = *state_->vertex_fields;
  check_answered(*state_, vertices, table.look_up(vertices, this->vertices(), fields.data(), true),
                 [&](VertexId v) { check_query(v, this->vertices()); });
}

bool DynamicGraph::has_vertex_fields() const {
  return state_->vertex_fields->says_anything();
}

bool Snapshot::has_vertex_fields() const {
  return state_->vertex_fields->says_anything();
}

std::vector<VertexFields> Snapshot::vertex_fields(std::span<const VertexId> vertices) const {
  return look_up_vertices(*state_->vertex_fields, vertices, this->vertices());
}

Csr DynamicGraph::neighbors(std::span<const VertexId> vertices, Array<EdgeFields>* fields) const {
  state_->check_at_rest();
  for (const VertexId v : vertices) check_query(v, this->vertices());
  if (state_->gpu) return state_->gpu->neighbors(vertices, false, fields);
  return lists_of(*state_, state_->out.view(), vertices, fields);
}

Csr Snapshot::neighbors(std::span<const VertexId> vertices, Array<EdgeFields>* fields) const {
  const DynamicGraph::State& graph = *state_->graph;
  for (const VertexId v : vertices) check_query(v, state_->vertices);
  if (!graph.gpu) return lists_of(graph, state_->views(false)[0], vertices, fields);
  Array<EdgeFields> all_fields;
  const Csr all =
      graph.gpu->to_csr(state_->views(false), state_->vertices, fields ? &all_fields : nullptr);
  return picked(all, all_fields, vertices, graph.ctx->host_memory(), fields);
}

}  // namespace fathom
