#include "tests/reference/betweenness.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <queue>
#include <utility>

namespace reference {
namespace {

using Length = std::pair<double, std::uint32_t>;  // weight, then number of zero-weight edges
constexpr Length kFar{std::numeric_limits<double>::infinity(), 0};

Length extended(const Length& length, const Arc& arc, bool weighted) {
  const double w = weighted ? static_cast<double>(arc.weight) : 1.0;
  return {length.first + w, length.second + (w == 0 ? 1u : 0u)};
}

/// Vertices reachable from s with their lengths, nearest first (Dijkstra; all weights 1 when
/// unweighted). `length` covers all vertices.
std::vector<Vertex> settle(const Graph& g, Vertex s, bool weighted, std::vector<Length>& length) {
  using Entry = std::pair<Length, Vertex>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> heap;
  std::vector<bool> settled(g.n, false);
  std::vector<Vertex> order;
  length[s] = {0.0, 0};
  heap.emplace(length[s], s);
  while (!heap.empty()) {
    const Vertex u = heap.top().second;
    heap.pop();
    if (settled[u]) continue;
    settled[u] = true;
    order.push_back(u);
    for (const Arc& arc : g.out[u]) {
      const Length candidate = extended(length[u], arc, weighted);
      if (candidate < length[arc.target]) {
        length[arc.target] = candidate;
        heap.emplace(candidate, arc.target);
      }
    }
  }
  return order;
}

void add_dependencies(const Graph& g, Vertex s, bool weighted, std::vector<double>& score) {
  std::vector<Length> length(g.n, kFar);
  const std::vector<Vertex> order = settle(g, s, weighted, length);
  std::vector<double> paths(g.n, 0.0), dependency(g.n, 0.0);
  paths[s] = 1;
  for (const Vertex u : order)
    for (const Arc& arc : g.out[u])
      if (extended(length[u], arc, weighted) == length[arc.target]) paths[arc.target] += paths[u];
  for (auto it = order.rbegin(); it != order.rend(); ++it) {
    const Vertex u = *it;
    for (const Arc& arc : g.out[u])
      if (extended(length[u], arc, weighted) == length[arc.target])
        dependency[u] += paths[u] / paths[arc.target] * (1 + dependency[arc.target]);
    if (u != s) score[u] += dependency[u];
  }
}

double scale_of(const Graph& g, const BetweennessOptions& options) {
  const auto n = static_cast<double>(g.n);
  double scale = 1;
  if (options.normalized)
    scale = g.n > 2 ? 1 / ((n - 1) * (n - 2)) : 1;
  else if (!g.directed)
    scale = 0.5;
  if (!options.sources.empty()) scale *= n / static_cast<double>(options.sources.size());
  return scale;
}

}  // namespace

std::vector<double> betweenness(const Graph& g, const BetweennessOptions& options) {
  std::vector<Vertex> sources = options.sources;
  if (sources.empty()) {
    sources.resize(g.n);
    std::iota(sources.begin(), sources.end(), Vertex{0});
  }
  std::vector<double> score(g.n, 0.0);
  for (const Vertex s : sources) add_dependencies(g, s, options.weighted, score);
  for (double& b : score) b *= scale_of(g, options);
  return score;
}

}  // namespace reference
