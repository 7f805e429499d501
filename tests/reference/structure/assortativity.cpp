#include "tests/reference/structure/assortativity.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace reference {

Assortativity assortativity(const Graph& g) {
  Assortativity result;
  std::vector<double> from(g.n, 0), to(g.n, 0);
  for (Vertex u = 0; u < g.n; ++u)
    for (const Arc& arc : g.out[u]) {
      const double ends = arc.target == u && !g.directed ? 2 : 1;
      from[u] += ends;
      to[arc.target] += ends;
      if (arc.target == u) ++result.loops;
    }
  double edges = 0, mean_from = 0, mean_to = 0;
  for (Vertex u = 0; u < g.n; ++u) {
    double sum = 0;
    for (const Arc& arc : g.out[u]) {
      sum += to[arc.target];
      mean_from += from[u];
    }
    mean_to += sum;
    edges += static_cast<double>(g.out[u].size());
    result.neighbor_degree.push_back(g.out[u].empty() ? 0
                                                      : sum / static_cast<double>(g.out[u].size()));
  }
  mean_from /= edges;
  mean_to /= edges;
  double joint = 0, of_from = 0, of_to = 0;
  for (Vertex u = 0; u < g.n; ++u)
    for (const Arc& arc : g.out[u]) {
      const double a = from[u] - mean_from, b = to[arc.target] - mean_to;
      joint += a * b;
      of_from += a * a;
      of_to += b * b;
    }
  constexpr double kSame = 1e-9;  // what rounding leaves
  result.coefficient = of_from > kSame && of_to > kSame ? joint / std::sqrt(of_from * of_to)
                                                        : std::numeric_limits<double>::quiet_NaN();
  return result;
}

std::vector<std::uint64_t> answered_edges(const Graph& g) {
  std::vector<std::uint64_t> answered(g.n, 0);
  for (Vertex u = 0; u < g.n; ++u)
    for (const Arc& there : g.out[u])
      if (there.target != u && std::any_of(g.out[there.target].begin(), g.out[there.target].end(),
                                           [&](const Arc& back) { return back.target == u; }))
        ++answered[u];
  return answered;
}

std::vector<Club> rich_clubs(const Graph& g) {
  std::vector<std::uint64_t> degree(g.n, 0);
  for (Vertex u = 0; u < g.n; ++u)
    for (const Arc& arc : g.out[u]) degree[u] += arc.target == u ? 2 : 1;
  std::set<std::uint64_t> degrees(degree.begin(), degree.end());
  degrees.insert(0);
  std::vector<Club> clubs;
  for (const std::uint64_t least : degrees) {
    Club club{least, 0, 0};
    std::uint64_t ends = 0;
    for (Vertex u = 0; u < g.n; ++u) {
      if (degree[u] <= least) continue;
      ++club.vertices;
      for (const Arc& arc : g.out[u]) ends += arc.target != u && degree[arc.target] > least ? 1 : 0;
    }
    club.edges = ends / 2;
    if (club.vertices > 1) clubs.push_back(club);
  }
  return clubs;
}

}  // namespace reference
