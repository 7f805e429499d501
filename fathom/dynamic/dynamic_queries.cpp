// What a graph that changes answers in bulk between two batches.
#include <algorithm>
#include <limits>
#include <string>

#include "fathom/core/error.hpp"
#include "fathom/core/parallel.hpp"
#include "fathom/dynamic/dynamic_state.hpp"
#include "fathom/dynamic/find_edge.hpp"

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

std::vector<VertexFields> look_up_vertices(const std::vector<VertexFields>* all,
                                           std::span<const VertexId> asked, VertexId vertices) {
  for (const VertexId v : asked) check_query(v, vertices);
  std::vector<VertexFields> fields(asked.size());
  for (std::size_t i = 0; i < asked.size(); ++i)
    if (all && asked[i] < all->size()) fields[i] = (*all)[asked[i]];
  return fields;
}

/// answer(i, the edge as it is found) for each.
template <class Answer>
void look_up(const DynamicGraph& graph, const DynamicGraph::State& state,
             std::span<const Edge> edges, const Answer& answer) {
  check_edges_of(graph, edges);
  if (state.gpu) {
    const std::vector<dynamic::FoundEdge> found = state.gpu->find(edges);
    for (std::size_t i = 0; i < found.size(); ++i) answer(i, found[i]);
    return;
  }
  const DynamicEdges lists = state.view(false);
  each_query(state.threads(), edges.size(), [&](std::size_t i) {
    answer(i, dynamic::find_edge(lists, edges[i].source, edges[i].target));
  });
}

}  // namespace

std::vector<std::uint8_t> DynamicGraph::has_edges(std::span<const Edge> edges) const {
  std::vector<std::uint8_t> has(edges.size());
  look_up(*this, *state_, edges,
          [&](std::size_t i, const dynamic::FoundEdge& e) { has[i] = e.found ? 1 : 0; });
  return has;
}

std::vector<Weight> DynamicGraph::weights(std::span<const Edge> edges) const {
  std::vector<Weight> weight(edges.size());
  look_up(*this, *state_, edges, [&](std::size_t i, const dynamic::FoundEdge& e) {
    weight[i] = e.found ? e.weight : std::numeric_limits<Weight>::quiet_NaN();
  });
  return weight;
}

std::vector<EdgeId> DynamicGraph::degrees(std::span<const VertexId> vertices) const {
  for (const VertexId v : vertices) check_query(v, this->vertices());
  if (state_->gpu) return state_->gpu->degrees(vertices);
  std::vector<EdgeId> degree(vertices.size());
  for (std::size_t i = 0; i < vertices.size(); ++i)
    degree[i] = state_->out.records()[vertices[i]].size;
  return degree;
}

std::vector<EdgeFields> DynamicGraph::fields(std::span<const Edge> edges) const {
  check_edges_of(*this, edges);
  std::vector<EdgeFields> fields(edges.size());
  if (!semantic()) return fields;
  const DynamicEdges lists = state_->view(false);
  each_query(state_->threads(), edges.size(), [&](std::size_t i) {
    fields[i] = dynamic::find_fields(lists, edges[i].source, edges[i].target);
  });
  return fields;
}

std::vector<VertexFields> DynamicGraph::vertex_fields(std::span<const VertexId> vertices) const {
  return look_up_vertices(state_->vertex_fields.get(), vertices, this->vertices());
}

bool DynamicGraph::has_vertex_fields() const {
  const auto& all = state_->vertex_fields;
  return all && std::any_of(all->begin(), all->end(),
                            [](const VertexFields& f) { return !(f == VertexFields{}); });
}

std::vector<VertexFields> Snapshot::vertex_fields(std::span<const VertexId> vertices) const {
  return look_up_vertices(state_->vertex_fields.get(), vertices, this->vertices());
}

Csr DynamicGraph::neighbors(std::span<const VertexId> vertices, Array<EdgeFields>* fields) const {
  for (const VertexId v : vertices) check_query(v, this->vertices());
  if (state_->gpu) return state_->gpu->neighbors(vertices);
  std::vector<DynamicList> list(vertices.size());
  for (std::size_t i = 0; i < vertices.size(); ++i) list[i] = state_->out.records()[vertices[i]];
  DynamicEdges edges = state_->out.view();
  edges.list = list.data();
  return dynamic::to_csr(edges, static_cast<VertexId>(vertices.size()), state_->threads(),
                         state_->ctx->host_memory(), fields);
}

}  // namespace fathom
