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

std::vector<Vertex> numbers(std::size_t vertices) {
  std::vector<Vertex> number(vertices);
  std::iota(number.begin(), number.end(), Vertex{0});
  return number;
}

std::vector<double> totals(const Level& level, const std::vector<Vertex>& community) {
  std::vector<double> total(community.size());
  for (Vertex v = 0; v < community.size(); ++v) total[community[v]] += level.strength[v];
  return total;
}

/// Vertices move one by one until none gains.
std::vector<Vertex> move(const Level& level, double resolution, std::vector<Vertex> community) {
  std::vector<double> total = totals(level, community);
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

/// Vertices that are alone join, one by one, parts of their community, both well connected to it.
std::vector<Vertex> refine(const Level& level, double resolution,
                           const std::vector<Vertex>& community) {
  const std::vector<double> whole = totals(level, community);
  std::vector<Vertex> part = numbers(community.size());
  std::vector<double> total = level.strength, leaving(part.size());
  std::vector<int> size(part.size(), 1);
  for (Vertex v = 0; v < part.size(); ++v)
    for (const auto& [other, weight] : level.edges[v])
      if (other != v && community[other] == community[v]) leaving[v] += weight;
  const auto well_connected = [&](Vertex its, Vertex c) {
    return leaving[its] >= resolution * total[its] * (whole[c] - total[its]) / level.all - 1e-12;
  };
  for (Vertex v = 0; v < part.size(); ++v) {
    const Vertex c = community[v];
    if (part[v] != v || size[v] != 1 || !well_connected(v, c)) continue;
    Weights shared;
    for (const auto& [other, weight] : level.edges[v])
      if (other != v && community[other] == c) shared[part[other]] += weight;
    Vertex best = v;
    double most = 1e-12;
    for (const auto& [its, weight] : shared) {
      const double gain = weight - resolution * level.strength[v] * total[its] / level.all;
      if (gain <= most || !well_connected(its, c)) continue;
      most = gain;
      best = its;
    }
    if (best == v) continue;
    part[v] = best;
    total[best] += level.strength[v];
    leaving[best] += leaving[v] - 2 * shared[best];
    ++size[best];
    size[v] = 0;
  }
  return part;
}

std::vector<Weights> aggregate(const std::vector<Weights>& edges, std::map<Vertex, Vertex>& number,
                               const std::vector<Vertex>& joined) {
  std::vector<Weights> coarse(number.size());
  for (Vertex u = 0; u < edges.size(); ++u)
    for (const auto& [v, weight] : edges[u]) coarse[number[joined[u]]][number[joined[v]]] += weight;
  return coarse;
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
  std::vector<Vertex> community = numbers(g.n);
  std::vector<Weights> edges = weights_of(g);
  for (;;) {
    const std::vector<Vertex> joined = move(level_of(edges), resolution, numbers(edges.size()));
    std::map<Vertex, Vertex> number;
    for (const Vertex c : joined) number.emplace(c, number.size());
    for (Vertex& its : community) its = number[joined[its]];
    if (number.size() == edges.size()) return community;
    edges = aggregate(edges, number, joined);
  }
}

std::vector<Vertex> leiden(const Graph& g, double resolution) {
  std::vector<Vertex> of = numbers(g.n);  // the vertex of the level that each is in
  std::vector<Weights> edges = weights_of(g);
  std::vector<Vertex> start = numbers(g.n);
  for (;;) {
    const Level level = level_of(edges);
    const std::vector<Vertex> moved = move(level, resolution, start);
    const std::vector<Vertex> part = refine(level, resolution, moved);
    std::map<Vertex, Vertex> number;
    for (const Vertex its : part) number.emplace(its, number.size());
    if (number.size() == edges.size()) {
      for (Vertex& its : of) its = moved[its];
      return of;
    }
    // Communities are called by the first of their parts.
    std::map<Vertex, Vertex> first;
    start.assign(number.size(), 0);
    for (const auto& [its, its_number] : number)
      start[its_number] = first.emplace(moved[its], its_number).first->second;
    for (Vertex& its : of) its = number[part[its]];
    edges = aggregate(edges, number, part);
  }
}

bool connects_each(const Graph& g, const std::vector<Vertex>& community) {
  std::vector<bool> seen(g.n);
  std::map<Vertex, bool> met;
  for (Vertex first = 0; first < g.n; ++first) {
    if (seen[first]) continue;
    if (met[community[first]]) return false;
    met[community[first]] = true;
    std::vector<Vertex> open{first};
    seen[first] = true;
    while (!open.empty()) {
      const Vertex u = open.back();
      open.pop_back();
      for (const Arc& arc : g.out[u]) {
        if (seen[arc.target] || community[arc.target] != community[u] || !(arc.weight > 0))
          continue;
        seen[arc.target] = true;
        open.push_back(arc.target);
      }
    }
  }
  return true;
}

}  // namespace reference
