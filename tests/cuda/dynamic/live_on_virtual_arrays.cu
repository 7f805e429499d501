#include "tests/cuda/dynamic/live_kernels.cuh"

namespace fathom::testing {

void change_on_virtual_arrays(const LiveChanges& changing, const LiveUpdates& updates) {
  if (changing.manager().allocator == PageAllocator::VAP)
    change_on_manager<memory::VAP>(changing, updates);
  else
    change_on_manager<memory::VAC>(changing, updates);
}

}  // namespace fathom::testing
