#include "tests/reference/communities/modularity.hpp"

#include <map>
#include <numeric>

namespace reference {
namespace {

using Weights = std::map<Vertex, double>;  // by the other end; loops twice

struct Level {
  std::vector<Weights> edges;
  std::vector<double> strength;
  double all = 0;
};

Level level_of(const std::vector<Weights>& edges) {
  Level level{edges, {}, 0};
  for (const Weights& its : edges) {
    double sum = 0;
    for (const auto& [other, weight] : its) sum += weight;
    level.strength.push_back(sum);
    level.all += sum;
  }
  return level;
}

std::vector<Weights> weights_of(const Graph& g) {
  std::vector<Weights> edges(g.n);
  for (Vertex u = 0; u < g.n; ++u)
    for (const Arc& arc : g.out[u])
      edges[u][arc.target] += (arc.target == u ? 2 : 1) * static_cast<double>(arc.weight);
  return edges;
}

/// Vertices move one by one until none gains.
std::vector<Vertex> move(const Level& level, double resolution) {
  std::vector<Vertex> community(level.edges.size());
  std::iota(community.begin(), community.end(), Vertex{0});
  std::vector<double> total = level.strength;
  for (bool moved = level.all > 0; moved;) {
    moved = false;
    for (Vertex v = 0; v < level.edges.size(); ++v) {
      Weights shared{{community[v], 0}};
      for (const auto& [other, weight] : level.edges[v])
        if (other != v) shared[community[other]] += weight;
      total[community[v]] -= level.strength[v];
      const auto worth = [&](Vertex c) {
        return shared[c] - resolution * level.strength[v] * total[c] / level.all;
      };
      Vertex best = community[v];
      for (const auto& [c, weight] : shared)
        if (worth(c) > worth(best) + 1e-12) best = c;
      moved = moved || best != community[v];
      community[v] = best;
      total[best] += level.strength[v];
    }
  }
  return community;
}

}  // namespace

double modularity(const Graph& g, const std::vector<Vertex>& community, double resolution) {
  const Level level = level_of(weights_of(g));
  if (level.all == 0) return 0;
  double inside = 0;
  std::map<Vertex, double> total;
  for (Vertex u = 0; u < g.n; ++u) {
    total[community[u]] += level.strength[u];
    for (const auto& [v, weight] : level.edges[u])
      if (community[u] == community[v]) inside += weight;
  }
  double sum = inside / level.all;
  for (const auto& [c, its] : total) sum -= resolution * its / level.all * its / level.all;
  return sum;
}

std::vector<Vertex> louvain(const Graph& g, double resolution) {
  std::vector<Vertex> community(g.n);
  std::iota(community.begin(), community.end(), Vertex{0});
  std::vector<Weights> edges = weights_of(g);
  for (;;) {
    const std::vector<Vertex> joined = move(level_of(edges), resolution);
    std::map<Vertex, Vertex> number;
    for (const Vertex c : joined) number.emplace(c, number.size());
    for (Vertex& its : community) its = number[joined[its]];
    if (number.size() == edges.size()) return community;
    std::vector<Weights> coarse(number.size());
    for (Vertex u = 0; u < edges.size(); ++u)
      for (const auto& [v, weight] : edges[u])
        coarse[number[joined[u]]][number[joined[v]]] += weight;
    edges = coarse;
  }
}

}  // namespace reference
