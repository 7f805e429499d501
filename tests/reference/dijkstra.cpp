#include "tests/reference/dijkstra.hpp"

#include <functional>
#include <limits>
#include <queue>
#include <utility>

namespace reference {

std::vector<double> dijkstra(const Graph& g, const std::vector<Vertex>& sources) {
  using Entry = std::pair<double, Vertex>;
  std::vector<double> distance(g.n, std::numeric_limits<double>::infinity());
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> heap;
  for (const Vertex s : sources) {
    distance.at(s) = 0;
    heap.emplace(0.0, s);
  }
  while (!heap.empty()) {
    const auto [d, u] = heap.top();
    heap.pop();
    if (d > distance[u]) continue;  // superseded
    for (const Arc& arc : g.out[u]) {
      const double candidate = d + static_cast<double>(arc.weight);
      if (candidate < distance[arc.target]) {
        distance[arc.target] = candidate;
        heap.emplace(candidate, arc.target);
      }
    }
  }
  return distance;
}

}  // namespace reference
