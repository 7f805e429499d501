#include "tests/reference/structure/bellman_ford.hpp"

#include <algorithm>
#include <limits>

namespace reference {
namespace {

template <class Length>
std::vector<Length> relax_all(const Graph& g, Vertex source) {
  constexpr Length kFar = std::numeric_limits<Length>::infinity();
  std::vector<Length> distance(g.n, kFar);
  distance.at(source) = 0;
  for (Vertex round = 0; round < 2 * g.n; ++round) {
    bool falls = false;
    for (Vertex u = 0; u < g.n; ++u)
      for (const Arc& arc : g.out[u]) {
        const Length through_u = distance[u] + static_cast<Length>(arc.weight);
        if (!(through_u < distance[arc.target])) continue;
        falls = true;
        // Shortest paths have fewer edges than there are vertices.
        distance[arc.target] = round + 1 < g.n ? through_u : -kFar;
      }
    if (!falls) break;
  }
  return distance;
}

}  // namespace

std::vector<float> bellman_ford_float(const Graph& g, Vertex source) {
  return relax_all<float>(g, source);
}

std::vector<double> bellman_ford_double(const Graph& g, Vertex source) {
  return relax_all<double>(g, source);
}

double cycle_weight(const Graph& g, const std::vector<Vertex>& cycle) {
  double sum = 0;
  for (std::size_t i = 0; i < cycle.size(); ++i) {
    double lightest = std::numeric_limits<double>::infinity();
    for (const Arc& arc : g.out[cycle[i]])
      if (arc.target == cycle[(i + 1) % cycle.size()])
        lightest = std::min(lightest, static_cast<double>(arc.weight));
    sum += lightest;
  }
  return sum;
}

}  // namespace reference
