#include "tests/cuda/dynamic/live_kernels.cuh"

namespace fathom::testing {

void change_by_threads(const LiveLists& lists, const LiveUpdates& updates) {
  change_by_groups<OneLane><<<kLiveBlocks, kLiveBlock>>>(lists, updates);
}

}  // namespace fathom::testing
