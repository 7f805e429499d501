#include "tests/reference/structure/closeness.hpp"

#include <algorithm>

#include "tests/reference/bfs.hpp"

namespace reference {

Closeness closeness(const Graph& g, const std::vector<Vertex>& sources) {
  Closeness all{std::vector<std::uint64_t>(g.n, 0), std::vector<std::uint64_t>(g.n, 0),
                std::vector<double>(g.n, 0)};
  for (const Vertex s : sources) {
    const std::vector<std::int32_t> level = bfs_depths(g, {s});
    for (Vertex v = 0; v < g.n; ++v) {
      if (level[v] <= 0) continue;
      ++all.reached[v];
      all.distance_sum[v] += static_cast<std::uint64_t>(level[v]);
    }
  }
  for (Vertex v = 0; v < g.n; ++v) {
    if (all.reached[v] == 0) continue;
    const auto reached = static_cast<double>(all.reached[v]);
    const auto others = static_cast<double>(
        sources.size() - static_cast<std::size_t>(std::count(sources.begin(), sources.end(), v)));
    all.value[v] = reached / static_cast<double>(all.distance_sum[v]);
    all.value[v] *= reached / others;
  }
  return all;
}

}  // namespace reference
