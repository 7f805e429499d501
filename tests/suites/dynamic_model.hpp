// A graph that changes, the obvious way: a map of edges and a set of vertices, one update after the
// other.
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "fathom/dynamic_graph.hpp"

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

}  // namespace fathom::testing
