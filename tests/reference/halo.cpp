#include "tests/reference/halo.hpp"

#include <algorithm>

#include "tests/reference/bfs.hpp"

namespace reference {

std::vector<double> harmonic_sums(const Graph& g, const std::vector<Vertex>& sources,
                                  bool scale_sources) {
  std::vector<double> harm(g.n, 0);
  for (const Vertex s : sources) {
    const std::vector<std::int32_t> level = bfs_depths(g, {s});
    for (Vertex v = 0; v < g.n; ++v)
      if (level[v] > 0) harm[v] += 1.0 / level[v];
  }
  const double k = static_cast<double>(sources.size());
  if (scale_sources)
    for (const Vertex s : sources) harm[s] = k * harm[s] / (k - 1);
  return harm;
}

std::vector<Vertex> halo2_positions(const Graph& g, const std::vector<Vertex>& centres) {
  std::vector<Vertex> position(g.n, kNone);
  Vertex count = 0;
  for (const Vertex u : centres) {
    if (position[u] == kNone) position[u] = count++;
    std::vector<Vertex> neighbours;
    for (const Arc& arc : g.out[u]) neighbours.push_back(arc.target);
    std::sort(neighbours.begin(), neighbours.end());
    for (const Vertex v : neighbours)
      if (position[v] == kNone) position[v] = count++;
  }
  return position;
}

}  // namespace reference
