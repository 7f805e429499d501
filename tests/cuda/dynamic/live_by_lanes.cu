#include "tests/cuda/dynamic/live_kernels.cuh"

namespace fathom::testing {
namespace {

__global__ void change_by_each_lane(LiveLists lists, LiveUpdates updates) {
  const WarpLanes warp;
  const std::size_t thread = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t base = thread - warp.rank(); base < updates.n; base += threads) {
    const std::size_t i = base + warp.rank();
    const bool mine = i < updates.n;
    const EdgeUpdate e = mine ? updates.update[i] : EdgeUpdate{};
    const LiveResult inserted =
        lists.insert_each(warp, mine && !e.deletion, e.source, e.target, e.weight);
    const LiveResult erased = lists.erase_each(warp, mine && e.deletion, e.source, e.target);
    if (mine) updates.result[i] = e.deletion ? erased : inserted;
  }
}

}  // namespace

void change_by_lanes(const LiveLists& lists, const LiveUpdates& updates) {
  change_by_each_lane<<<kLiveBlocks, kLiveBlock>>>(lists, updates);
}

}  // namespace fathom::testing
