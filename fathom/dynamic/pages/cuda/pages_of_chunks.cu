// Managers whose queues hold chunks.
#include "fathom/dynamic/pages/cuda/manager_owner.cuh"

namespace fathom::dynamic::gpu {

std::unique_ptr<GpuPages> make_pages_of_chunks(PageAllocator allocator, cuda::Gpu& gpu,
                                               std::size_t limit) {
  return allocator == PageAllocator::SC    ? make_manager_pages<memory::SC>(gpu, limit)
         : allocator == PageAllocator::VAC ? make_manager_pages<memory::VAC>(gpu, limit)
                                           : make_manager_pages<memory::VLC>(gpu, limit);
}

}  // namespace fathom::dynamic::gpu
