#include "tests/reference/structure/independent_set.hpp"

#include <algorithm>
#include <utility>

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

std::uint64_t hash_of(std::uint64_t seed, Vertex v) {
  const std::uint64_t golden = 0x9e3779b97f4a7c15ull;
  return mixed(mixed(mixed(seed + golden) + golden) + v * golden);
}

std::uint64_t class_of(std::uint64_t degree) {
  std::uint64_t power = 1, p = 0;
  while (2 * power <= degree) {
    power *= 2;
    ++p;
  }
  return 4 * p + 4 * degree / power % 4;
}

}  // namespace

std::uint64_t degree_key(const Graph& g, std::uint64_t seed, Vertex v) {
  const std::uint64_t degree = g.out[v].size() + (g.directed ? g.in[v].size() : 0);
  return class_of(degree) * (1ull << 24) + (hash_of(seed, v) >> 40);
}

std::vector<std::uint32_t> greedy_independent_set(const Graph& g, std::uint64_t seed,
                                                  bool by_degree) {
  std::vector<std::pair<std::uint64_t, Vertex>> order;
  for (Vertex v = 0; v < g.n; ++v)
    order.emplace_back(by_degree ? degree_key(g, seed, v) : hash_of(seed, v) >> 32, v);
  std::sort(order.begin(), order.end());
  std::vector<std::uint32_t> in_set(g.n, 0);
  for (const auto& [key, v] : order) {
    bool alone = true;
    for (const Arc& arc : g.out[v]) alone = alone && in_set[arc.target] == 0;
    for (const Arc& arc : g.in[v]) alone = alone && in_set[arc.target] == 0;
    if (alone) in_set[v] = 1;
  }
  return in_set;
}

}  // namespace reference
