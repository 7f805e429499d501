// Managers whose queues hold pages.
#include "fathom/dynamic/pages/cuda/manager_owner.cuh"

namespace fathom::dynamic::gpu {

std::unique_ptr<GpuPages> make_pages_of_pages(PageAllocator allocator, cuda::Gpu& gpu,
                                              std::size_t limit) {
  return allocator == PageAllocator::SP    ? make_manager_pages<memory::SP>(gpu, limit)
         : allocator == PageAllocator::VAP ? make_manager_pages<memory::VAP>(gpu, limit)
                                           : make_manager_pages<memory::VLP>(gpu, limit);
}

}  // namespace fathom::dynamic::gpu
