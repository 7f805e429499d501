// Managers whose queues are hierarchies of chunks.
#include "fathom/dynamic/pages/cuda/manager_owner.cuh"

namespace fathom::dynamic::gpu {

std::unique_ptr<GpuPages> make_pages_of_virtual_arrays(PageAllocator allocator, cuda::Gpu& gpu,
                                                       std::size_t limit, const HostShare& host) {
  return allocator == PageAllocator::VAP
             ? make_manager_pages<memory::VAP>(allocator, gpu, limit, host)
             : make_manager_pages<memory::VAC>(allocator, gpu, limit, host);
}

}  // namespace fathom::dynamic::gpu
