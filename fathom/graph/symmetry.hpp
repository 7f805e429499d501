// Whether a directed graph happens to be symmetric: every (u, v, w) has its (v, u, w).
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "fathom/core/random.hpp"
#include "fathom/graph/csr.hpp"

namespace fathom::graph {

/// Whether two CSRs hold the same edges.
bool same(const Csr& a, const Csr& b);

/// Looks up the reverse of each edge; stops at the first that is missing. O(edges * log(degree))
/// at worst, no extra memory.
bool is_symmetric(const CsrView& graph, int workers);

/// Compares the multiset of edges with that of their reverses by two 64-bit sums of hashes, for
/// edges that pass by once, in any order: a false "symmetric" has a probability of 2^-128.
class SymmetryCheck {
 public:
  void add(VertexId u, VertexId v, Weight w) {
    if (u == v) return;
    const std::uint64_t bits = mix64(std::bit_cast<std::uint32_t>(w) + 0x9e3779b97f4a7c15ull);
    const std::uint64_t forth = mix64(pair(u, v) ^ bits);
    const std::uint64_t back = mix64(pair(v, u) ^ bits);
    first_ += forth - back;
    second_ += mix64(forth + kSecond) - mix64(back + kSecond);
  }
  /// The edges another check has seen.
  void add(const SymmetryCheck& other) {
    first_ += other.first_;
    second_ += other.second_;
  }
  bool symmetric() const { return first_ == 0 && second_ == 0; }
  /// What checks of parts of the edges add up to, each by itself; 0 and 0: symmetric.
  std::array<std::uint64_t, 2> sums() const { return {first_, second_}; }

 private:
  static std::uint64_t pair(VertexId u, VertexId v) {
    if constexpr (sizeof(VertexId) == 4)
      return std::uint64_t{u} << 32 | v;
    else
      return mix64(u) + v;
  }

  static constexpr std::uint64_t kSecond = 0xd1b54a32d192ed03ull;
  std::uint64_t first_ = 0, second_ = 0;
};

}  // namespace fathom::graph
