#include "tests/reference/bisection.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace reference {
namespace {

using Queries = std::vector<std::vector<Vertex>>;  // of each vertex

double rounded(double gain) {
  return std::nearbyint(gain * (1 << 24));
}

/// How much less a half pays, but for its size, for the d-th vertex of a query (equation 5).
double share(double d) {
  return rounded(d * std::log2(d + 1) - (d - 1) * std::log2(d));
}

void split(std::vector<Vertex>& order, std::size_t first, std::size_t last, const Queries& of,
           std::size_t queries) {
  if (last - first <= 8) return;
  const std::size_t middle = first + (last - first) / 2;
  const double left = static_cast<double>(middle - first),
               right = static_cast<double>(last - middle);
  for (int iteration = 0; iteration < 20; ++iteration) {
    std::vector<double> in_left(queries, 0), in_right(queries, 0);
    for (std::size_t i = first; i < last; ++i)
      for (const Vertex q : of[order[i]]) ++(i < middle ? in_left : in_right)[q];
    const auto gain = [&](std::size_t i) {
      double sum = 0;
      for (const Vertex q : of[order[i]]) {
        const double here = i < middle ? in_left[q] : in_right[q];
        const double there = i < middle ? in_right[q] : in_left[q];
        sum += (i < middle ? 1 : -1) * rounded(std::log2(left) - std::log2(right)) - share(here) +
               share(there + 1);
      }
      return static_cast<float>(sum);
    };
    std::vector<float> gains(order.size());
    for (std::size_t i = first; i < last; ++i) gains[i] = gain(i);
    std::vector<std::size_t> a(middle - first), b(last - middle);
    std::iota(a.begin(), a.end(), first);
    std::iota(b.begin(), b.end(), middle);
    const auto larger = [&](std::size_t i, std::size_t j) { return gains[i] > gains[j]; };
    std::stable_sort(a.begin(), a.end(), larger);
    std::stable_sort(b.begin(), b.end(), larger);
    std::size_t pairs = 0;
    for (; pairs < a.size() && gains[a[pairs]] + gains[b[pairs]] > 0; ++pairs)
      std::swap(order[a[pairs]], order[b[pairs]]);
    if (pairs == 0) break;
  }
  split(order, first, middle, of, queries);
  split(order, middle, last, of, queries);
}

}  // namespace

std::vector<Vertex> bisect(Vertex n, const std::vector<std::vector<Vertex>>& queries) {
  Queries of(n);
  for (std::size_t q = 0; q < queries.size(); ++q)
    for (const Vertex v : queries[q]) of[v].push_back(static_cast<Vertex>(q));
  std::vector<Vertex> order(n);
  std::iota(order.begin(), order.end(), Vertex{0});
  split(order, 0, n, of, queries.size());
  return order;
}

}  // namespace reference
