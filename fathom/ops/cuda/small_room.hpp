// The device memory of run_small(): its state, and behind it the vertices it begins with.
#pragma once

#include "fathom/ops/run_small.hpp"
#include "fathom/ops/small_supersteps.hpp"

namespace fathom::cuda {

inline constexpr std::size_t kSmallStateBytes = 64;
static_assert(sizeof(SmallState) <= kSmallStateBytes);

inline constexpr std::size_t kSmallBytes = kSmallStateBytes + kSmallFrontier * sizeof(VertexId);

}  // namespace fathom::cuda
