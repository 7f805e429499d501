#include "tests/reference/radius.hpp"

#include <algorithm>
#include <cmath>

#include "tests/reference/bfs.hpp"

namespace reference {
namespace {

constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15u;

/// The finaliser of SplitMix64.
std::uint64_t mixed(std::uint64_t x) {
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9u;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

/// The word of (v, k) in stream 0 of a seed.
std::uint64_t word(std::uint64_t seed, Vertex v, unsigned k) {
  const std::uint64_t key = mixed(mixed(seed + kStep) + kStep);
  return mixed(mixed(key + v * kStep) + k * kStep);
}

unsigned lowest_zero(std::uint32_t mask) {
  unsigned bit = 0;
  while (bit < 32 && (mask >> bit & 1) == 1) ++bit;
  return bit;
}

unsigned score(const std::vector<std::uint32_t>& sketches) {
  unsigned sum = 0;
  for (const std::uint32_t mask : sketches) sum += lowest_zero(mask);
  return sum;
}

}  // namespace

Radii sketched_radii(const Graph& g, unsigned sketches, std::uint64_t seed, double quantile) {
  std::vector<std::vector<std::uint32_t>> now(g.n, std::vector<std::uint32_t>(sketches));
  for (Vertex v = 0; v < g.n; ++v)
    for (unsigned k = 0; k < sketches; ++k) {
      unsigned bit = 0;
      while (bit < 31 && (word(seed, v, k) >> bit & 1) == 0) ++bit;
      now[v][k] = 1u << bit;
    }
  Radii r{std::vector<std::uint32_t>(g.n, 0), std::vector<std::uint32_t>(g.n, 0), {}};
  std::vector<std::vector<unsigned>> scores(g.n);  // [v][hop]
  for (Vertex v = 0; v < g.n; ++v) scores[v] = {score(now[v])};
  if (g.n > 0) r.pairs = {static_cast<double>(g.n)};
  for (std::uint32_t hop = 1;; ++hop) {
    auto next = now;
    for (Vertex v = 0; v < g.n; ++v)
      for (const Arc& arc : g.out[v])
        for (unsigned k = 0; k < sketches; ++k) next[v][k] |= now[arc.target][k];
    if (next == now) break;
    double pairs = 0;
    for (Vertex v = 0; v < g.n; ++v) {
      if (next[v] != now[v]) r.farthest[v] = hop;
      scores[v].push_back(score(next[v]));
      pairs += std::pow(2.0, scores[v].back() / static_cast<double>(sketches)) / 0.77351;
    }
    r.pairs.push_back(pairs);
    now = next;
  }
  for (Vertex v = 0; v < g.n; ++v)
    // 2^(a / K) >= quantile * 2^(b / K)
    while (scores[v][r.effective[v]] + 1e-9 <
           scores[v].back() + std::log2(quantile) * static_cast<double>(sketches))
      ++r.effective[v];
  return r;
}

Radii exact_radii(const Graph& g, double quantile) {
  Radii r{std::vector<std::uint32_t>(g.n, 0), std::vector<std::uint32_t>(g.n, 0), {}};
  std::vector<std::vector<double>> within(g.n);  // [v][hop]
  std::size_t hops = 0;
  for (Vertex v = 0; v < g.n; ++v) {
    for (const std::int32_t depth : bfs_depths(g, {v})) {
      if (depth < 0) continue;
      const auto d = static_cast<std::size_t>(depth);
      if (within[v].size() <= d) within[v].resize(d + 1);
      ++within[v][d];
    }
    for (std::size_t h = 1; h < within[v].size(); ++h) within[v][h] += within[v][h - 1];
    hops = std::max(hops, within[v].size());
    r.farthest[v] = static_cast<std::uint32_t>(within[v].size() - 1);
    while (within[v][r.effective[v]] < quantile * within[v].back()) ++r.effective[v];
  }
  for (std::size_t h = 0; h < hops; ++h) {
    double pairs = 0;
    for (Vertex v = 0; v < g.n; ++v) pairs += within[v][std::min(h, within[v].size() - 1)];
    r.pairs.push_back(pairs);
  }
  return r;
}

double effective_diameter(const std::vector<double>& pairs, double quantile) {
  for (std::size_t h = 0; h < pairs.size(); ++h)
    if (pairs[h] >= quantile * pairs.back()) {
      if (h == 0) return 0;
      const double part = (quantile * pairs.back() - pairs[h - 1]) / (pairs[h] - pairs[h - 1]);
      return static_cast<double>(h) - 1 + part;
    }
  return 0;
}

}  // namespace reference
