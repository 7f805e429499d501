#include "tests/reference/parts.hpp"

#include <algorithm>
#include <queue>

namespace reference {
namespace {

constexpr std::uint32_t kNoNumber = ~std::uint32_t{0};

}  // namespace

std::vector<std::uint32_t> hops_within(const Graph& g, const std::vector<Vertex>& sources,
                                       std::uint32_t limit, Follow follow) {
  std::vector<std::uint32_t> hops(g.n, kNoNumber);
  std::queue<Vertex> queue;
  for (const Vertex s : sources) {
    if (hops[s] == kNoNumber) queue.push(s);
    hops[s] = 0;
  }
  for (; !queue.empty(); queue.pop()) {
    const Vertex u = queue.front();
    if (hops[u] == limit) continue;
    std::vector<Arc> next;
    if (follow != Follow::In) next.insert(next.end(), g.out[u].begin(), g.out[u].end());
    if (follow != Follow::Out) next.insert(next.end(), g.in[u].begin(), g.in[u].end());
    for (const Arc& arc : next)
      if (hops[arc.target] == kNoNumber) {
        hops[arc.target] = hops[u] + 1;
        queue.push(arc.target);
      }
  }
  return hops;
}

std::vector<Edge> induced_arcs(const Graph& g, const std::vector<bool>& member) {
  std::vector<Edge> arcs;
  for (Vertex u = 0; u < g.n; ++u)
    for (const Arc& arc : g.out[u])
      if (member[u] && member[arc.target]) arcs.emplace_back(u, arc.target, arc.weight);
  std::sort(arcs.begin(), arcs.end());
  return arcs;
}

std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> edges_across(
    const Graph& g, const std::vector<std::uint32_t>& set) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> count;
  for (const auto& [u, v, w] : g.edges) {
    std::uint32_t a = set[u], b = set[v];
    if (a == kNoNumber || b == kNoNumber || a == b) continue;
    if (!g.directed && a > b) std::swap(a, b);
    ++count[{a, b}];
  }
  return count;
}

}  // namespace reference
