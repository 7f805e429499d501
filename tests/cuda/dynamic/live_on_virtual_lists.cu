#include "tests/cuda/dynamic/live_kernels.cuh"

namespace fathom::testing {

void change_on_virtual_lists(const LiveChanges& changing, const LiveUpdates& updates) {
  if (changing.manager().allocator == PageAllocator::VLP)
    change_on_manager<memory::VLP>(changing, updates);
  else
    change_on_manager<memory::VLC>(changing, updates);
}

}  // namespace fathom::testing
