// The device memory of run_small(): its state, and behind it a list for even supersteps and one for
// odd ones.
#pragma once

#include <algorithm>

#include "fathom/ops/run_small.hpp"
#include "fathom/ops/small_supersteps.hpp"

namespace fathom::cuda {

inline constexpr std::size_t kSmallStateBytes = 64;
static_assert(sizeof(SmallState) <= kSmallStateBytes);

/// Room of a list: a superstep adds at most kSmallList vertices for each of its own, and all of
/// them together add no vertex twice.
inline std::size_t small_list(VertexId universe) {
  return std::min<std::size_t>(std::size_t{kSmallFrontier} * kSmallList, universe);
}
inline std::size_t small_bytes(VertexId universe) {
  return kSmallStateBytes + 2 * small_list(universe) * sizeof(VertexId);
}

}  // namespace fathom::cuda
