#include "tests/cuda/dynamic/live_kernels.cuh"

namespace fathom::testing {

void change_by_tiles(const LiveLists& lists, const LiveUpdates& updates) {
  change_by_groups<TileLanes><<<kLiveBlocks, kLiveBlock>>>(lists, updates);
}

}  // namespace fathom::testing
