// What harmonic centrality adds up while many searches go on together, for any executor.
#pragma once

#include "fathom/algorithms/multi_search/search_set.hpp"
#include "fathom/core/bits.hpp"
#include "fathom/core/platform.hpp"

namespace fathom {

/// The searches that arrive at v at this level each add the level's term.
struct AddHarmonic {
  static constexpr bool kDeviceCode = true;
  const SearchSet* arrived;
  std::uint64_t* sum;
  std::uint64_t term;  // one over the level, in units of the sum

  FATHOM_HD void operator()(VertexId v) const { sum[v] += count_bits(arrived[v]) * term; }
};

/// Sums as numbers.
struct ScaleHarmonic {
  static constexpr bool kDeviceCode = true;
  const std::uint64_t* sum;
  double* centrality;
  double scale;

  FATHOM_HD void operator()(VertexId v) const {
    centrality[v] = static_cast<double>(sum[v]) * scale;
  }
};

}  // namespace fathom
