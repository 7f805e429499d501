#include "tests/reference/structure/truss_numbers.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <vector>

namespace reference {
namespace {

using Neighbours = std::vector<std::set<Vertex>>;
using Ends = std::pair<Vertex, Vertex>;

std::vector<Vertex> in_common(const Neighbours& of, Vertex u, Vertex v) {
  std::vector<Vertex> common;
  std::set_intersection(of[u].begin(), of[u].end(), of[v].begin(), of[v].end(),
                        std::back_inserter(common));
  return common;
}

Ends ends(Vertex u, Vertex v) {
  return {std::min(u, v), std::max(u, v)};
}

}  // namespace

Trusses truss_numbers(const Graph& g, std::uint32_t level) {
  Neighbours neighbours(g.n);
  for (const auto& [u, v, w] : g.edges)
    if (u != v) {
      neighbours[u].insert(v);
      neighbours[v].insert(u);
    }
  std::map<Ends, std::size_t> support;
  for (Vertex u = 0; u < g.n; ++u)
    for (const Vertex v : neighbours[u])
      if (u < v) support[{u, v}] = in_common(neighbours, u, v).size();

  Trusses found;
  for (std::uint32_t layer = 1; !support.empty(); ++layer) {
    std::size_t least = ~std::size_t{0};
    for (const auto& [edge, triangles] : support) least = std::min(least, triangles);
    level = std::max(level, static_cast<std::uint32_t>(least));
    std::vector<Ends> going;
    for (const auto& [edge, triangles] : support)
      if (triangles <= level) going.push_back(edge);
    for (const auto& [u, v] : going) {
      for (const Vertex w : in_common(neighbours, u, v)) {
        --support[ends(u, w)];
        --support[ends(v, w)];
      }
      neighbours[u].erase(v);
      neighbours[v].erase(u);
      found[{u, v}] = {level + 2, layer};
    }
    for (const Ends& edge : going) support.erase(edge);
  }
  return found;
}

}  // namespace reference
