#include "tests/reference/structure/clustering.hpp"

#include <set>

namespace reference {

Clustering clustering(const Graph& g) {
  std::vector<std::set<Vertex>> out(g.n), around(g.n);
  for (Vertex u = 0; u < g.n; ++u)
    for (const Arc& arc : g.out[u]) {
      if (arc.target == u) continue;
      out[u].insert(arc.target);
      around[u].insert(arc.target);
      around[arc.target].insert(u);
    }
  Clustering result;
  for (Vertex v = 0; v < g.n; ++v) {
    std::uint64_t links = 0;
    for (const Vertex a : around[v])
      for (const Vertex b : out[a]) links += around[v].count(b);
    const std::uint64_t d = around[v].size(), pairs = d < 2 ? 0 : d * (d - 1);
    result.coefficient.push_back(
        pairs == 0 ? 0 : static_cast<double>(links) / static_cast<double>(pairs));
    result.links += links;
    result.pairs += pairs;
  }
  return result;
}

}  // namespace reference
