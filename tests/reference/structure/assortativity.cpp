#include "tests/reference/structure/assortativity.hpp"

#include <cmath>
#include <limits>

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

}  // namespace reference
