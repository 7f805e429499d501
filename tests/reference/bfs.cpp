#include "tests/reference/bfs.hpp"

#include <queue>

namespace reference {

std::vector<std::int32_t> bfs_depths(const Graph& g, const std::vector<Vertex>& sources) {
  std::vector<std::int32_t> depth(g.n, -1);
  std::queue<Vertex> queue;
  for (const Vertex s : sources) {
    if (depth.at(s) == 0) continue;
    depth[s] = 0;
    queue.push(s);
  }
  while (!queue.empty()) {
    const Vertex u = queue.front();
    queue.pop();
    for (const Arc& arc : g.out[u])
      if (depth[arc.target] < 0) {
        depth[arc.target] = depth[u] + 1;
        queue.push(arc.target);
      }
  }
  return depth;
}

}  // namespace reference
