#include "tests/reference/communities/label_propagation.hpp"

#include <map>

namespace reference {
namespace {

using Labels = std::vector<Vertex>;

/// The most frequent label around v, the smallest of several; or its own if that is one, and
/// `kept`.
Vertex wanted(const Graph& g, const Labels& label, const Labels& row, Vertex v, bool kept) {
  std::map<Vertex, std::pair<int, Vertex>> met;  // by row: how often, and which
  const auto meet = [&](const std::vector<Arc>& arcs) {
    for (const Arc& arc : arcs) {
      const Vertex its = label[arc.target];
      auto& [times, which] = met[row.empty() ? its : row[its]];
      ++times;
      which = its;
    }
  };
  meet(g.out[v]);
  if (g.directed) meet(g.in[v]);
  int most = 0;
  Vertex best = label[v];
  for (const auto& [place, what] : met)
    if (what.first > most || (kept && what.first == most && what.second == label[v])) {
      most = what.first;
      best = what.second;
    }
  return best;
}

/// SplitMix64's mixer.
std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}
bool tails(std::uint64_t seed, std::uint64_t iteration, Vertex v) {
  constexpr std::uint64_t golden = 0x9e3779b97f4a7c15u;
  const std::uint64_t key = mixed(mixed(seed + golden) + (iteration + 1) * golden);
  return mixed(key + v * golden) >= std::uint64_t{1} << 63;
}

Labels own_labels(const Graph& g) {
  Labels label(g.n);
  for (Vertex v = 0; v < g.n; ++v) label[v] = v;
  return label;
}

}  // namespace

Propagated propagate_labels(const Graph& g, std::uint32_t iterations,
                            const std::vector<Vertex>& row) {
  Propagated result{own_labels(g)};
  while (result.iterations < iterations && !result.stable) {
    Labels next = result.label;
    for (Vertex v = 0; v < g.n; ++v) next[v] = wanted(g, result.label, row, v, false);
    result.stable = next == result.label;
    result.label = next;
    ++result.iterations;
  }
  return result;
}

Propagated propagate_labels_by_blocks(const Graph& g, std::uint32_t iterations, std::uint64_t seed,
                                      const std::vector<Vertex>& row) {
  Propagated result{own_labels(g)};
  const auto entries = [&](Vertex v) {
    return g.out[v].size() + (g.directed ? g.in[v].size() : 0);
  };
  for (; result.iterations < iterations && !result.stable; ++result.iterations) {
    result.stable = true;
    Vertex end = 0;
    for (Vertex first = 0; first < g.n; first = end) {
      std::size_t its = entries(end++);
      while (end < g.n && its + entries(end) <= g.n / 2 + 1) its += entries(end++);
      Labels next = result.label;
      for (Vertex v = first; v < end; ++v) {
        const Vertex label = wanted(g, result.label, row, v, true);
        if (label == result.label[v]) continue;
        result.stable = false;
        if (result.iterations % 2 == 0 || !tails(seed, result.iterations, v)) next[v] = label;
      }
      result.label = next;
    }
  }
  return result;
}

}  // namespace reference
