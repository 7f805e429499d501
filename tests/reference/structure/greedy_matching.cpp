#include "tests/reference/structure/greedy_matching.hpp"

#include <algorithm>
#include <tuple>

namespace reference {
namespace {

std::uint64_t mixed(std::uint64_t x) {
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9ull;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebull;
  x ^= x >> 31;
  return x;
}

std::uint64_t hash_of(std::uint64_t seed, Vertex u, Vertex v) {
  const std::uint64_t golden = 0x9e3779b97f4a7c15ull;
  const std::uint64_t of_seed = mixed(mixed(seed + golden) + golden);
  return mixed(mixed(of_seed + u * golden) + v * golden) >> 32;
}

}  // namespace

Matching greedy_matching(const Graph& g, std::uint64_t seed) {
  std::vector<std::tuple<float, std::uint64_t, Vertex, Vertex>> order;
  for (const auto& [u, v, w] : g.edges) {
    const Vertex low = std::min(u, v), high = std::max(u, v);
    if (low != high) order.emplace_back(-w, hash_of(seed, low, high), low, high);
  }
  std::sort(order.begin(), order.end());
  Matching found{std::vector<Vertex>(g.n, kNone), std::vector<float>(g.n, 0)};
  for (const auto& [w, hash, u, v] : order) {
    if (found.partner[u] != kNone || found.partner[v] != kNone) continue;
    found.partner[u] = v;
    found.partner[v] = u;
    found.weight[u] = found.weight[v] = -w;
    ++found.edges;
  }
  return found;
}

}  // namespace reference
