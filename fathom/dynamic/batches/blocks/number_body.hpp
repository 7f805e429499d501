// Numbers for what the threads of a warp or a block have: where those of each begin among all.
#pragma once

#include "fathom/core/block.hpp"
#include "fathom/dynamic/pages/page_split.hpp"

namespace fathom::dynamic::gpu::blocks {

/// The sum of the values of the lanes before this one, and of all.
template <Warp W>
FATHOM_BLOCK_HD std::uint32_t sum_before(const W& warp, std::uint32_t value, std::uint32_t& all) {
  const std::uint32_t lane = warp.rank();
  if (warp.all(value <= 1)) {
    const std::uint32_t ones = warp.ballot(value != 0);
    all = count_lanes(ones);
    return lanes_before(ones, lane);
  }
  std::uint32_t sum = value;
  for (std::uint32_t step = 1; step < kWarpLanes; step *= 2) {
    const std::uint32_t other = warp.shfl_up(sum, step);
    if (lane >= step) sum += other;
  }
  all = warp.shfl(sum, kWarpLanes - 1);
  return sum - value;
}

/// Where `n` of this thread begin among those that `shared` counts of a block. All lanes of a warp
/// call it, which adds up by itself: threads that all add to one word wait for each other.
template <Block B>
FATHOM_BLOCK_HD std::uint32_t number_among(const B& block, std::uint32_t n, std::uint32_t& shared) {
  const auto warp = block.warp();
  std::uint32_t all = 0;
  const std::uint32_t before = sum_before(warp, n, all);
  std::uint32_t first = 0;
  if (warp.rank() == 0 && all != 0) first = block.fetch_add(shared, all);
  return warp.shfl(first, 0) + before;
}

/// The same where each size is counted on its own, in shared[size].
template <Block B>
FATHOM_BLOCK_HD std::uint32_t number_among(const B& block, std::uint32_t n, int size,
                                           std::uint32_t* shared) {
  const auto warp = block.warp();
  const std::uint32_t same = warp.match(static_cast<std::uint32_t>(n != 0 ? size : kPageSizes));
  if (warp.any(n > 1)) return n != 0 ? block.fetch_add(shared[size], n) : 0;
  const std::uint32_t leader = first_lane(same), lane = warp.rank();
  std::uint32_t first = 0;
  if (n != 0 && lane == leader) first = block.fetch_add(shared[size], count_lanes(same));
  return warp.shfl(first, leader) + lanes_before(same, lane);
}

/// Where `n` of this thread begin among those that `total` counts. All threads of a block call it.
template <Block B>
FATHOM_BLOCK_HD std::uint32_t number_among_all(const B& block, std::uint32_t n,
                                               std::uint32_t& total) {
  struct Shared {
    std::uint32_t sum, first;
  };
  Shared& its = block.template shared<Shared>();
  if (block.rank() == 0) its.sum = 0;
  block.sync();
  const std::uint32_t at = number_among(block, n, its.sum);
  block.sync();
  if (block.rank() == 0 && its.sum != 0) its.first = block.fetch_add(total, its.sum);
  block.sync();  // two more pass before the next call writes `first`
  return its.first + at;
}

}  // namespace fathom::dynamic::gpu::blocks
