#include "tests/reference/triangles.hpp"

#include <set>

namespace reference {

Triangles count_triangles(const Graph& g) {
  std::vector<std::set<Vertex>> neighbours(g.n);
  for (const auto& [u, v, w] : g.edges) {
    if (u == v) continue;
    neighbours[u].insert(v);
    neighbours[v].insert(u);
  }
  Triangles result;
  result.per_vertex.assign(g.n, 0);
  for (Vertex a = 0; a < g.n; ++a)
    for (const Vertex b : neighbours[a])
      for (const Vertex c : neighbours[b]) {
        if (!(a < b && b < c && neighbours[a].contains(c))) continue;
        ++result.total;
        for (const Vertex v : {a, b, c}) ++result.per_vertex[v];
      }
  return result;
}

}  // namespace reference
