#include "tests/cuda/dynamic/live_kernels.cuh"

namespace fathom::testing {

void change_on_standard(const LiveChanges& changing, const LiveUpdates& updates) {
  if (changing.manager().allocator == PageAllocator::SP)
    change_on_manager<memory::SP>(changing, updates);
  else
    change_on_manager<memory::SC>(changing, updates);
}

}  // namespace fathom::testing
