#include "tests/reference/dijkstra.hpp"

#include <functional>
#include <limits>
#include <queue>
#include <utility>

namespace reference {
namespace {

template <class Length, class Lists>
std::vector<Length> search(const Lists& out, const std::vector<Vertex>& sources) {
  using Entry = std::pair<Length, Vertex>;
  std::vector<Length> distance(out.size(), std::numeric_limits<Length>::infinity());
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> heap;
  for (const Vertex s : sources) {
    distance.at(s) = 0;
    heap.emplace(Length{0}, s);
  }
  while (!heap.empty()) {
    const auto [d, u] = heap.top();
    heap.pop();
    if (d > distance[u]) continue;  // superseded
    for (const auto& arc : out[u]) {
      const Length candidate = d + static_cast<Length>(arc.weight);
      if (candidate < distance[arc.target]) {
        distance[arc.target] = candidate;
        heap.emplace(candidate, arc.target);
      }
    }
  }
  return distance;
}

}  // namespace

std::vector<double> dijkstra(const Graph& g, const std::vector<Vertex>& sources) {
  return search<double>(g.out, sources);
}

std::vector<float> dijkstra_float(const Graph& g, Vertex source) {
  return search<float>(g.out, {source});
}

std::vector<double> dijkstra_wide(const std::vector<std::vector<WideArc>>& out, Vertex source) {
  return search<double>(out, {source});
}

}  // namespace reference
