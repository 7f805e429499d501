#include "tests/reference/structure/eccentricities.hpp"

#include <algorithm>

#include "tests/reference/bfs.hpp"
#include "tests/reference/components.hpp"

namespace reference {

std::vector<std::uint32_t> eccentricities(const Graph& g) {
  std::vector<std::uint32_t> farthest;
  for (Vertex s = 0; s < g.n; ++s) {
    const std::vector<std::int32_t> level = bfs_depths(g, {s});
    farthest.push_back(static_cast<std::uint32_t>(*std::max_element(level.begin(), level.end())));
  }
  return farthest;
}

std::vector<bool> largest_component(const Graph& g) {
  const std::vector<Vertex> label = components(g);
  std::vector<std::size_t> size(g.n, 0);
  for (const Vertex its : label) ++size[its];
  const auto largest =
      static_cast<Vertex>(std::max_element(size.begin(), size.end()) - size.begin());
  std::vector<bool> inside(g.n, false);
  for (Vertex v = 0; v < g.n; ++v) inside[v] = label[v] == largest;
  return inside;
}

}  // namespace reference
