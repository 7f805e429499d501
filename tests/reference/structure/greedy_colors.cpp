#include "tests/reference/structure/greedy_colors.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "tests/reference/structure/independent_set.hpp"

namespace reference {

std::vector<std::uint32_t> greedy_colors(const Graph& g, std::uint64_t seed) {
  std::vector<std::pair<std::uint64_t, Vertex>> order;
  for (Vertex v = 0; v < g.n; ++v) order.emplace_back(0xffffffff - degree_key(g, seed, v), v);
  std::sort(order.begin(), order.end());
  const auto none = static_cast<std::uint32_t>(g.n);
  std::vector<std::uint32_t> color(g.n, none);
  for (const auto& [key, v] : order) {
    std::set<std::uint32_t> taken;
    for (const Arc& arc : g.out[v]) taken.insert(color[arc.target]);
    for (const Arc& arc : g.in[v]) taken.insert(color[arc.target]);
    std::uint32_t free = 0;
    while (taken.count(free) > 0) ++free;
    color[v] = free;
  }
  return color;
}

}  // namespace reference
