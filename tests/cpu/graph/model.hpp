// An obvious serial model of the build: vectors, std::stable_sort and std::map.
#pragma once

#include <algorithm>
#include <map>
#include <random>
#include <tuple>
#include <vector>

#include "fathom/graph/build.hpp"

namespace fathom::test {

/// `n` edges whose ends are drawn alike, and repeatably.
inline std::vector<Edge> random_edges(VertexId vertices, std::size_t n, std::uint64_t seed = 5) {
  std::mt19937_64 random(seed);
  std::vector<Edge> edges(n);
  for (Edge& e : edges)
    e = {static_cast<VertexId>(random() % vertices), static_cast<VertexId>(random() % vertices)};
  return edges;
}

using Triple = std::tuple<VertexId, VertexId, Weight>;

struct ModelGraph {
  std::vector<Triple> edges;  // ascending
  graph::BuildReport report;
};

inline Weight folded(std::vector<Weight> group, graph::Duplicates policy) {
  using graph::Duplicates;
  if (policy == Duplicates::First) return group.front();
  std::sort(group.begin(), group.end());
  if (policy == Duplicates::Min) return group.front();
  if (policy == Duplicates::Max) return group.back();
  double sum = 0;
  for (Weight w : group) sum += static_cast<double>(w);
  return static_cast<Weight>(sum);
}

inline ModelGraph model_build(const std::vector<Edge>& edge, const std::vector<Weight>& weight,
                              const graph::BuildOptions& options) {
  ModelGraph model;
  std::map<std::pair<VertexId, VertexId>, std::vector<Weight>> groups;
  model.report.input_edges = edge.size();
  for (std::size_t i = 0; i < edge.size(); ++i) {
    const auto [u, v] = edge[i];
    const Weight w = options.weighted && !weight.empty() ? weight[i] : 1;
    if (options.weighted && weight.empty()) ++model.report.missing_weights;
    if (u == v) ++model.report.loops_seen;
    if (u == v && options.loops == graph::Loops::Drop) {
      ++model.report.loops_dropped;
      continue;
    }
    groups[{u, v}].push_back(w);
    if ((options.undirected || options.half_stored) && u != v) {
      groups[{v, u}].push_back(w);
      ++model.report.reverse_edges_added;
    }
  }
  for (auto& [ends, group] : groups) {
    if (options.duplicates == graph::Duplicates::Keep) {
      for (Weight w : group) model.edges.emplace_back(ends.first, ends.second, w);
      continue;
    }
    model.report.duplicates_merged += group.size() - 1;
    model.edges.emplace_back(ends.first, ends.second,
                             options.weighted ? folded(group, options.duplicates) : 1);
  }
  std::sort(model.edges.begin(), model.edges.end());
  std::vector<Triple> reversed;
  for (auto [u, v, w] : model.edges) reversed.emplace_back(v, u, w);
  std::sort(reversed.begin(), reversed.end());
  model.report.happens_symmetric = reversed == model.edges;
  return model;
}

/// The edges of a CSR, in the order it has them.
inline std::vector<Triple> triples(const CsrView& g) {
  std::vector<Triple> edges;
  for (VertexId v = 0; v < g.vertices; ++v)
    for (EdgeId e = g.offset[v]; e < g.offset[v + 1]; ++e)
      edges.emplace_back(v, g.target[e], g.weight ? g.weight[e] : 1);
  return edges;
}

inline std::vector<Triple> reversed(std::vector<Triple> edges) {
  for (auto& [u, v, w] : edges) std::swap(u, v);
  std::sort(edges.begin(), edges.end());
  return edges;
}

inline auto as_tuple(const graph::BuildReport& r) {
  return std::tuple(r.input_edges, r.loops_seen, r.loops_dropped, r.duplicates_merged,
                    r.reverse_edges_added, r.missing_weights, r.happens_symmetric);
}

}  // namespace fathom::test
