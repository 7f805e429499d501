#include "tests/reference/ranks/power.hpp"

#include <cmath>

namespace reference {
namespace {

std::vector<double> received(const Graph& g, const std::vector<double>& x, bool weighted) {
  std::vector<double> sum(g.n, 0.0);
  for (Vertex u = 0; u < g.n; ++u)
    for (const Arc& arc : g.out[u])
      sum[arc.target] += x[u] * (weighted ? static_cast<double>(arc.weight) : 1.0);
  return sum;
}

void normalize(std::vector<double>& x) {
  double squares = 0;
  for (const double value : x) squares += value * value;
  for (double& value : x) value /= std::sqrt(squares);
}

/// next(x) until it stays near x.
template <class Next>
PowerResult repeat(std::vector<double> x, const PowerOptions& options, const Next& next) {
  PowerResult result;
  while (true) {
    const std::vector<double> y = next(x);
    double change = 0;
    for (std::size_t v = 0; v < x.size(); ++v) change += std::abs(y[v] - x[v]);
    ++result.iterations;
    result.converged = change < options.tolerance * static_cast<double>(x.size());
    if (result.converged || result.iterations == options.max_iterations) break;
    x = y;
  }
  result.value = x;
  return result;
}

}  // namespace

PowerResult eigenvector(const Graph& g, const PowerOptions& options) {
  std::vector<double> first(g.n, 1.0);
  normalize(first);
  return repeat(first, options, [&](const std::vector<double>& x) {
    std::vector<double> y = received(g, x, options.weighted);
    for (Vertex v = 0; v < g.n; ++v) y[v] += x[v];
    normalize(y);
    return y;
  });
}

PowerResult katz(const Graph& g, double alpha, double beta, const PowerOptions& options) {
  PowerResult result =
      repeat(std::vector<double>(g.n, beta), options, [&](const std::vector<double>& x) {
        std::vector<double> y = received(g, x, options.weighted);
        for (double& value : y) value = alpha * value + beta;
        return y;
      });
  normalize(result.value);
  return result;
}

HitsResult hits(const Graph& g, const PowerOptions& options) {
  const auto scaled = [](std::vector<double> x) {
    double sum = 0;
    for (const double value : x) sum += value;
    for (double& value : x) value = sum > 0 ? value / sum : 0;
    return x;
  };
  const auto weight = [&](const Arc& arc) {
    return options.weighted ? static_cast<double>(arc.weight) : 1.0;
  };
  HitsResult result;
  result.hub.assign(g.n, g.n > 0 ? 1 / static_cast<double>(g.n) : 0);
  for (int iteration = 1;; ++iteration) {
    result.authority = scaled(received(g, result.hub, options.weighted));
    std::vector<double> next(g.n, 0.0);
    double change = 0;
    for (Vertex u = 0; u < g.n; ++u)
      for (const Arc& arc : g.out[u]) next[u] += result.authority[arc.target] * weight(arc);
    next = scaled(next);
    for (Vertex u = 0; u < g.n; ++u) change += std::abs(next[u] - result.hub[u]);
    const bool none = scaled(next) == std::vector<double>(g.n, 0.0);
    result.converged = change < options.tolerance || none;
    if (none) result.hub = next;
    if (result.converged || iteration == options.max_iterations) return result;
    result.hub = next;
  }
}

}  // namespace reference
