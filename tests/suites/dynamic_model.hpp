// A graph that changes, the obvious way: a map of edges and a set of vertices, one update after the
// other.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "fathom/dynamic_graph.hpp"
#include "tests/suites/zoo.hpp"

namespace fathom::testing {

struct Model {
  bool directed = true, weighted = false;
  DuplicatePolicy policy = DuplicatePolicy::Ignore;
  std::set<VertexId> vertices;
  std::map<std::pair<VertexId, VertexId>, std::vector<Weight>> edges;  // both directions

  void insert(VertexId u, VertexId v, Weight w) {
    if (!weighted) w = 1;
    put(u, v, w);
    if (!directed && u != v) put(v, u, w);
  }
  void remove(VertexId u, VertexId v) {
    edges.erase({u, v});
    if (!directed) edges.erase({v, u});
  }
  void remove_vertex(VertexId v) {
    vertices.erase(v);
    std::erase_if(edges, [&](const auto& e) { return e.first.first == v || e.first.second == v; });
  }
  std::size_t size() const {
    std::size_t count = 0;
    for (const auto& [edge, weights] : edges) count += weights.size();
    return count;
  }
  /// The list of u (of in-edges: `in`), ascending by target and weight.
  std::vector<std::pair<VertexId, Weight>> list(VertexId u, bool in = false) const {
    std::vector<std::pair<VertexId, Weight>> entries;
    for (const auto& [edge, weights] : edges)
      if ((in ? edge.second : edge.first) == u)
        for (const Weight w : weights) entries.emplace_back(in ? edge.first : edge.second, w);
    std::sort(entries.begin(), entries.end());
    return entries;
  }

 private:
  void put(VertexId u, VertexId v, Weight w) {
    std::vector<Weight>& weights = edges[{u, v}];
    if (policy == DuplicatePolicy::Keep || weights.empty())
      weights.push_back(w);
    else if (policy == DuplicatePolicy::Overwrite)
      std::fill(weights.begin(), weights.end(), w);
  }
};

/// The lists of a source, as Model::list gives them.
inline std::vector<std::pair<VertexId, Weight>> list_of(EdgeSource& source, VertexId v) {
  std::vector<std::pair<VertexId, Weight>> entries;
  source.read_lists()->read(v, [&](const PlainSpan& s) {
    for (std::uint32_t i = 0; i < s.size; ++i) entries.emplace_back(s.target(i), s.weight(i));
  });
  return entries;
}

/// Queries for the edges between all pairs of vertices.
inline void expect_edges_found(const DynamicGraph& graph, const Model& model) {
  std::vector<Edge> pairs;
  for (VertexId u = 0; u < graph.vertices(); ++u)
    for (VertexId v = 0; v < graph.vertices(); ++v) pairs.push_back({u, v});
  const auto has = graph.has_edges(pairs);
  const auto weight = graph.weights(pairs);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const auto known = model.edges.find({pairs[i].source, pairs[i].target});
    ASSERT_EQ(has[i] != 0, known != model.edges.end());
    if (known == model.edges.end())
      ASSERT_TRUE(std::isnan(weight[i]));
    else
      ASSERT_NE(std::find(known->second.begin(), known->second.end(), weight[i]),
                known->second.end());
  }
}

/// A graph and one vertex more, grown by batches, then with edges put in and out again, so that
/// lists have moved about. What `g` says of direction, weights and room comes before `options`.
inline DynamicGraph grown(const Context& ctx, const zoo::RawGraph& g, DynamicGraphOptions options) {
  options.memory = std::size_t{1} << 28;
  options.most_vertices = 1u << 20;
  options.directed = g.directed;
  options.weighted = !g.weights.empty();
  options.structure_of_arrays = g.vertices % 2 == 0;
  options.duplicates = DuplicatePolicy::Keep;
  DynamicGraph graph(ctx, options);
  std::vector<EdgeUpdate> real, extra, undo;
  for (std::size_t i = 0; i < g.edges.size(); ++i) {
    const auto [u, v] = g.edges[i];
    real.push_back(EdgeUpdate::insert(u, v, g.weights.empty() ? 1 : g.weights[i]));
  }
  for (VertexId v = 0; v < g.vertices; ++v) {
    extra.push_back(EdgeUpdate::insert(v, g.vertices));
    undo.push_back(EdgeUpdate::remove(v, g.vertices));
  }
  const std::span<const EdgeUpdate> all(real);
  graph.apply({g.vertices + 1, all.first(all.size() / 2), {}});
  graph.apply({0, extra, {}});
  graph.apply({0, all.subspan(all.size() / 2), {}});
  graph.apply({0, undo, {}});
  return graph;
}

}  // namespace fathom::testing
