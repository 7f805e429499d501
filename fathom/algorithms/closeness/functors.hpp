// What closeness centrality adds up while many searches go on together, for any executor.
#pragma once

#include "fathom/algorithms/multi_search/search_set.hpp"
#include "fathom/core/bits.hpp"
#include "fathom/core/platform.hpp"

namespace fathom {

/// The searches that arrive at v at this level are as many hops away.
struct AddDistances {
  static constexpr bool kDeviceCode = true;
  const SearchSet* arrived;
  VertexId* reached;
  std::uint64_t* sum;
  std::uint64_t level;

  FATHOM_HD void operator()(VertexId v) const {
    const std::uint64_t searches = count_bits(arrived[v]);
    reached[v] += static_cast<VertexId>(searches);
    sum[v] += searches * level;
  }
};

}  // namespace fathom
