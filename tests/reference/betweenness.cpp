#include "tests/reference/betweenness.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <queue>
#include <tuple>
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

/// 1 where paths end.
std::vector<double> ends_of(const Graph& g, const std::vector<Vertex>& targets) {
  std::vector<double> ends(g.n, targets.empty() ? 1 : 0);
  for (const Vertex t : targets) ends[t] = 1;
  return ends;
}

void add_dependencies(const Graph& g, Vertex s, bool weighted, const std::vector<double>& ends,
                      std::vector<double>& score) {
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
        dependency[u] += paths[u] / paths[arc.target] * (ends[arc.target] + dependency[arc.target]);
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
  if (!options.sources.empty() && options.targets.empty())
    scale *= n / static_cast<double>(options.sources.size());
  return scale;
}

std::vector<Vertex> sources_of(const Graph& g, const BetweennessOptions& options) {
  std::vector<Vertex> sources = options.sources;
  if (sources.empty()) {
    sources.resize(g.n);
    std::iota(sources.begin(), sources.end(), Vertex{0});
  }
  return sources;
}

/// An edge as one of its ends has it.
struct Way {
  std::size_t edge;
  Arc arc;
};

std::vector<std::vector<Way>> ways_of(const Graph& g) {
  std::vector<std::vector<Way>> ways(g.n);
  for (std::size_t e = 0; e < g.edges.size(); ++e) {
    const auto& [u, v, w] = g.edges[e];
    ways[u].push_back({e, {v, w}});
    if (!g.directed && u != v) ways[v].push_back({e, {u, w}});
  }
  return ways;
}

}  // namespace

std::vector<double> betweenness(const Graph& g, const BetweennessOptions& options) {
  const std::vector<double> ends = ends_of(g, options.targets);
  std::vector<double> score(g.n, 0.0);
  for (const Vertex s : sources_of(g, options))
    add_dependencies(g, s, options.weighted, ends, score);
  for (double& b : score) b *= scale_of(g, options);
  return score;
}

std::vector<EdgeValue> edge_betweenness(const Graph& g, const BetweennessOptions& options) {
  const std::vector<double> ends = ends_of(g, options.targets);
  const std::vector<std::vector<Way>> ways = ways_of(g);
  std::vector<double> sum(g.edges.size(), 0.0);
  for (const Vertex s : sources_of(g, options)) {
    std::vector<Length> length(g.n, kFar);
    const std::vector<Vertex> order = settle(g, s, options.weighted, length);
    const auto follows = [&](Vertex u, const Arc& arc) {
      return extended(length[u], arc, options.weighted) == length[arc.target];
    };
    std::vector<double> paths(g.n, 0.0), dependency(g.n, 0.0);
    paths[s] = 1;
    for (const Vertex u : order)
      for (const Way& way : ways[u])
        if (follows(u, way.arc)) paths[way.arc.target] += paths[u];
    for (auto it = order.rbegin(); it != order.rend(); ++it)
      for (const Way& way : ways[*it]) {
        if (!follows(*it, way.arc)) continue;
        const Vertex v = way.arc.target;
        const double share = paths[*it] / paths[v] * (ends[v] + dependency[v]);
        dependency[*it] += share;
        sum[way.edge] += share;
      }
  }
  BetweennessOptions unscaled = options;
  unscaled.normalized = false;
  const double pairs = static_cast<double>(g.n) * (static_cast<double>(g.n) - 1);
  double scale = scale_of(g, unscaled);
  if (options.normalized) scale = scale / (g.directed ? 1 : 0.5) / (g.n > 1 ? pairs : 1);
  std::vector<EdgeValue> found;
  for (std::size_t e = 0; e < g.edges.size(); ++e) {
    const auto& [u, v, w] = g.edges[e];
    const bool turn = !g.directed && v < u;
    found.push_back({turn ? v : u, turn ? u : v, sum[e] * scale});
  }
  std::sort(found.begin(), found.end(), [](const EdgeValue& a, const EdgeValue& b) {
    return std::tie(a.u, a.v, b.value) < std::tie(b.u, b.v, a.value);
  });
  return found;
}

}  // namespace reference
