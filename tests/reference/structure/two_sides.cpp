#include "tests/reference/structure/two_sides.hpp"

namespace reference {

std::vector<std::int64_t> two_sides(const Graph& g) {
  std::vector<std::int64_t> side(g.n, -1);
  std::vector<bool> seen(g.n, false);
  for (Vertex first = 0; first < g.n; ++first) {
    if (seen[first]) continue;
    std::vector<Vertex> component{first};
    seen[first] = true;
    side[first] = 0;
    bool even = true;
    for (std::size_t i = 0; i < component.size(); ++i) {
      const Vertex u = component[i];
      for (const auto* arcs : {&g.out[u], &g.in[u]})
        for (const Arc& arc : *arcs) {
          if (seen[arc.target]) {
            even = even && side[arc.target] != side[u];
            continue;
          }
          seen[arc.target] = true;
          side[arc.target] = 1 - side[u];
          component.push_back(arc.target);
        }
    }
    if (even) continue;
    for (const Vertex v : component) side[v] = -1;
  }
  return side;
}

}  // namespace reference
