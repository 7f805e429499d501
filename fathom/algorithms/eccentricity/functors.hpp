// What is learnt of eccentricities from a batch of searches, for any executor.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "fathom/algorithms/multi_search/search_set.hpp"
#include "fathom/core/platform.hpp"

namespace fathom {

/// A row of depths: a byte for each of 64 searches, or a word for each of 16.
inline constexpr std::size_t kRowBytes = 64;
template <class Depth>
inline constexpr std::size_t kSearchesOfRow = kRowBytes / sizeof(Depth);

FATHOM_HD std::uint32_t first_search(SearchSet set) {
#if defined(__CUDA_ARCH__)
  return static_cast<std::uint32_t>(__ffsll(static_cast<long long>(set)) - 1);
#else
  return static_cast<std::uint32_t>(std::countr_zero(set));
#endif
}

/// Where every vertex of a component is searched from, the last arrival comes from the farthest.
struct NoteLast {
  static constexpr bool kDeviceCode = true;
  std::uint32_t* eccentricity;
  std::uint32_t level;
  FATHOM_HD void operator()(VertexId v) const { eccentricity[v] = level; }
};

template <class Depth>
struct NoteDepths {
  static constexpr bool kDeviceCode = true;
  const SearchSet* arrived;
  Depth* depth;  // [vertices x kSearchesOfRow]
  Depth level;

  FATHOM_HD void operator()(VertexId v) const {
    Depth* const row = depth + static_cast<std::size_t>(v) * kSearchesOfRow<Depth>;
    for (SearchSet rest = arrived[v]; rest != 0; rest &= rest - 1) row[first_search(rest)] = level;
  }
};

struct EccentricityBounds {
  std::uint32_t* lower;
  std::uint32_t* upper;
  std::uint32_t* sum;  // of distances to what was searched from, modulo 2^32
};

/// With a vertex of eccentricity e at distance d, that of v is max(d, e - d) to d + e.
template <class Depth>
struct TightenBounds {
  static constexpr bool kDeviceCode = true;
  const SearchSet* seen;
  const Depth* depth;
  const std::uint32_t* eccentricity;  // [searches]
  EccentricityBounds of;

  FATHOM_HD void operator()(VertexId v) const {
    const Depth* const row = depth + static_cast<std::size_t>(v) * kSearchesOfRow<Depth>;
    std::uint32_t lower = of.lower[v], upper = of.upper[v], sum = of.sum[v];
    for (SearchSet rest = seen[v]; rest != 0; rest &= rest - 1) {
      const std::uint32_t search = first_search(rest);
      const std::uint32_t d = row[search], e = eccentricity[search];
      const std::uint32_t least = d > e - d ? d : e - d;
      lower = lower > least ? lower : least;
      upper = upper < e + d ? upper : e + d;
      sum += d;
    }
    of.lower[v] = lower;
    of.upper[v] = upper;
    of.sum[v] = sum;
  }
};

}  // namespace fathom
