#include "tests/reference/ranks/pagerank.hpp"

#include <cmath>
#include <numeric>
#include <stdexcept>

namespace reference {
namespace {

std::vector<double> jump_distribution(const Graph& g, const std::vector<double>& wished) {
  if (wished.empty()) return std::vector<double>(g.n, 1 / static_cast<double>(g.n));
  if (wished.size() != g.n) throw std::invalid_argument("personalization of another graph");
  const double sum = std::accumulate(wished.begin(), wished.end(), 0.0);
  if (!(sum > 0)) throw std::invalid_argument("personalization sums to zero");
  std::vector<double> jump = wished;
  for (double& j : jump) j /= sum;
  return jump;
}

double share_of(const Arc& arc, bool weighted) {
  return weighted ? static_cast<double>(arc.weight) : 1.0;
}

}  // namespace

PagerankResult pagerank(const Graph& g, const PagerankOptions& options) {
  PagerankResult result;
  result.converged = g.n == 0;
  if (g.n == 0) return result;
  const std::vector<double> jump = jump_distribution(g, options.personalization);
  std::vector<double> rank(g.n, 1 / static_cast<double>(g.n));
  while (!result.converged && result.iterations < options.max_iterations) {
    std::vector<double> next(g.n, 0.0);
    double dangling = 0;
    for (Vertex u = 0; u < g.n; ++u) {
      double total = 0;
      for (const Arc& arc : g.out[u]) total += share_of(arc, options.weighted);
      if (total == 0) {
        dangling += rank[u];
        continue;
      }
      for (const Arc& arc : g.out[u])
        next[arc.target] += rank[u] * share_of(arc, options.weighted) / total;
    }
    if (options.dangling == Dangling::Drop) dangling = 0;
    double change = 0;
    for (Vertex v = 0; v < g.n; ++v) {
      next[v] = options.alpha * (next[v] + dangling * jump[v]) + (1 - options.alpha) * jump[v];
      change += std::abs(next[v] - rank[v]);
    }
    rank.swap(next);
    ++result.iterations;
    result.converged = change < options.tolerance;
  }
  result.rank = rank;
  return result;
}

}  // namespace reference
