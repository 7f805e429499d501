// A graph whose lists cross page borders, have hubs, and are sometimes empty.
#pragma once

#include <random>
#include <vector>

#include "fathom/graph/csr.hpp"

namespace fathom::testing {

inline Csr sample_graph(VertexId n, std::uint32_t degree, unsigned seed, bool weighted = true) {
  std::mt19937 random(seed);
  std::vector<EdgeId> offset{0};
  std::vector<VertexId> target;
  std::vector<Weight> weight;
  for (VertexId v = 0; v < n; ++v) {
    const std::uint32_t size =
        v % 97 == 0 ? degree * 20 : static_cast<std::uint32_t>(random()) % degree;
    for (std::uint32_t i = 0; i < size; ++i) {
      target.push_back(static_cast<VertexId>(random()) % n);
      weight.push_back(static_cast<Weight>(1 + random() % 9));
    }
    offset.push_back(target.size());
  }
  Csr csr{Array<EdgeId>::copy_of(offset), Array<VertexId>::copy_of(target), {}};
  if (weighted) csr.weight = Array<Weight>::copy_of(weight);
  return csr;
}

struct SeenEdge {
  VertexId source, target;
  Weight weight;
  friend auto operator<=>(const SeenEdge&, const SeenEdge&) = default;
};

/// The edges of the given vertices, at most `first` of each, sorted.
template <class Vertices>
std::vector<SeenEdge> edges_of(const CsrView& g, const Vertices& vertices,
                               EdgeId first = ~EdgeId{0}) {
  std::vector<SeenEdge> edges;
  for (const VertexId u : vertices)
    for (EdgeId e = g.offset[u]; e < g.offset[u + 1] && e - g.offset[u] < first; ++e)
      edges.push_back({u, g.target[e], g.weight ? g.weight[e] : Weight{1}});
  std::sort(edges.begin(), edges.end());
  return edges;
}

}  // namespace fathom::testing
