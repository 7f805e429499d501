#include "tests/reference/components.hpp"

#include <algorithm>
#include <numeric>

namespace reference {
namespace {

Vertex root_of(std::vector<Vertex>& parent, Vertex v) {
  while (parent[v] != v) v = parent[v] = parent[parent[v]];
  return v;
}

}  // namespace

std::vector<Vertex> components(const Graph& g) {
  std::vector<Vertex> parent(g.n);
  std::iota(parent.begin(), parent.end(), Vertex{0});
  for (const auto& [u, v, w] : g.edges) {
    const Vertex a = root_of(parent, u), b = root_of(parent, v);
    parent[std::max(a, b)] = std::min(a, b);  // a root is the smallest of its set
  }
  std::vector<Vertex> label(g.n);
  for (Vertex v = 0; v < g.n; ++v) label[v] = root_of(parent, v);
  return label;
}

}  // namespace reference
