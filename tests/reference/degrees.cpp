#include "tests/reference/degrees.hpp"

namespace reference {

Degrees degrees(const Graph& g) {
  Degrees d{std::vector<std::uint64_t>(g.n, 0), std::vector<std::uint64_t>(g.n, 0)};
  for (const auto& [u, v, w] : g.edges) {
    ++d.out[u];
    ++d.in[v];
    if (!g.directed && u != v) {
      ++d.out[v];
      ++d.in[u];
    }
  }
  return d;
}

}  // namespace reference
