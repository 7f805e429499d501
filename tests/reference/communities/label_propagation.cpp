#include "tests/reference/communities/label_propagation.hpp"

#include <map>

namespace reference {

Propagated propagate_labels(const Graph& g, std::uint32_t iterations,
                            const std::vector<Vertex>& row) {
  Propagated result;
  for (Vertex v = 0; v < g.n; ++v) result.label.push_back(v);
  while (result.iterations < iterations && !result.stable) {
    std::vector<Vertex> next = result.label;
    for (Vertex v = 0; v < g.n; ++v) {
      std::map<Vertex, std::pair<int, Vertex>> met;  // by row: how often, and which
      const auto meet = [&](const std::vector<Arc>& arcs) {
        for (const Arc& arc : arcs) {
          const Vertex label = result.label[arc.target];
          auto& [times, its] = met[row.empty() ? label : row[label]];
          ++times;
          its = label;
        }
      };
      meet(g.out[v]);
      if (g.directed) meet(g.in[v]);
      int most = 0;
      for (const auto& [place, what] : met)
        if (what.first > most) {
          most = what.first;
          next[v] = what.second;
        }
    }
    result.stable = next == result.label;
    result.label = next;
    ++result.iterations;
  }
  return result;
}

}  // namespace reference
