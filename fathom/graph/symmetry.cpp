#include "fathom/graph/symmetry.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include "fathom/core/parallel.hpp"

namespace fathom::graph {
namespace {

// How many edges (u, v) of weight w there are.
std::size_t multiplicity(const CsrView& g, VertexId u, VertexId v, Weight w) {
  const VertexId* begin = g.target + g.offset[u];
  const auto [first, last] = std::equal_range(begin, g.target + g.offset[u + 1], v);
  if (!g.weight) return static_cast<std::size_t>(last - first);
  const auto [a, b] =
      std::equal_range(g.weight + (first - g.target), g.weight + (last - g.target), w);
  return static_cast<std::size_t>(b - a);
}

}  // namespace

bool same(const Csr& a, const Csr& b) {
  return std::ranges::equal(a.offset, b.offset) && std::ranges::equal(a.target, b.target) &&
         std::ranges::equal(a.weight, b.weight);
}

bool is_symmetric(const CsrView& g, int workers) {
  std::atomic<bool> symmetric{true};
  parallel_for(workers, g.vertices, 1024, [&](std::size_t first, std::size_t last, int) {
    for (std::size_t u = first; u < last && symmetric.load(std::memory_order_relaxed); ++u) {
      const auto source = static_cast<VertexId>(u);
      for (EdgeId e = g.offset[u]; e < g.offset[u + 1];) {
        const VertexId v = g.target[e];
        const Weight w = g.weight ? g.weight[e] : 1;
        EdgeId end = e + 1;
        while (end < g.offset[u + 1] && g.target[end] == v && (!g.weight || g.weight[end] == w))
          ++end;
        if (multiplicity(g, v, source, w) != end - e) {
          symmetric.store(false, std::memory_order_relaxed);
          return;
        }
        e = end;
      }
    }
  });
  return symmetric.load();
}

}  // namespace fathom::graph
