#include "tests/reference/structure/longest_paths.hpp"

#include <algorithm>

namespace reference {

// Lengths grow from round to round; a path of g.n edges goes around.
std::vector<std::int64_t> longest_paths(const Graph& g) {
  const auto endless = static_cast<std::int64_t>(g.n);
  std::vector<std::int64_t> length(g.n, 0);
  for (bool grown = true; grown;) {
    grown = false;
    for (Vertex v = 0; v < g.n; ++v)
      for (const Arc& arc : g.in[v]) {
        const std::int64_t longer = std::min(endless, length[arc.target] + 1);
        if (longer <= length[v]) continue;
        length[v] = longer;
        grown = true;
      }
  }
  for (std::int64_t& its : length)
    if (its == endless) its = -1;
  return length;
}

}  // namespace reference
