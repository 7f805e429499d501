// Sums over all edges by which multisets of edges are compared without being held: equal multisets
// have equal sums, different ones collide with probability about 2^-64.
#pragma once

#include <bit>

#include "fathom/core/platform.hpp"

namespace fathom::store {

struct EdgeSums {
  std::uint64_t forward = 0;   // over (u, v, w)
  std::uint64_t backward = 0;  // over (v, u, w)
  friend EdgeSums operator+(EdgeSums a, EdgeSums b) {
    return {a.forward + b.forward, a.backward + b.backward};
  }
};

/// The finaliser of splitmix64: a bijection that spreads every bit.
inline std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

inline std::uint64_t edge_hash(VertexId u, VertexId v, Weight w) {
  const auto bits = std::bit_cast<std::uint32_t>(w + 0.0f);  // -0 and 0 are equal weights
  return mix(mix(mix(u) + v) + bits);
}

}  // namespace fathom::store
