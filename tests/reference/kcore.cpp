#include "tests/reference/kcore.hpp"

namespace reference {

Cores core_numbers(const Graph& g) {
  std::vector<std::vector<Vertex>> neighbours(g.n);
  for (const auto& [u, v, w] : g.edges) {
    if (u == v) continue;
    neighbours[u].push_back(v);
    neighbours[v].push_back(u);
  }
  Cores result{std::vector<std::uint32_t>(g.n, 0), std::vector<std::uint32_t>(g.n, 0)};
  std::vector<std::size_t> degree(g.n);
  std::vector<Vertex> left;
  for (Vertex v = 0; v < g.n; ++v) {
    degree[v] = neighbours[v].size();
    left.push_back(v);
  }
  std::uint32_t round = 1;
  for (std::uint32_t k = 0; !left.empty();) {
    std::vector<Vertex> off, rest;
    for (const Vertex v : left) (degree[v] <= k ? off : rest).push_back(v);
    if (off.empty()) {
      ++k;
      continue;
    }
    for (const Vertex v : off) {
      result.core[v] = k;
      result.layer[v] = round;
      for (const Vertex w : neighbours[v]) --degree[w];
    }
    left = rest;
    ++round;
  }
  return result;
}

}  // namespace reference
