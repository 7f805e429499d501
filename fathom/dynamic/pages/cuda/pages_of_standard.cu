// Managers whose queues are arrays.
#include "fathom/dynamic/pages/cuda/manager_owner.cuh"

namespace fathom::dynamic::gpu {

std::unique_ptr<GpuPages> make_pages_of_standard(PageAllocator allocator, cuda::Gpu& gpu,
                                                 std::size_t limit, const HostShare& host) {
  return allocator == PageAllocator::SP
             ? make_manager_pages<memory::SP>(allocator, gpu, limit, host)
             : make_manager_pages<memory::SC>(allocator, gpu, limit, host);
}

}  // namespace fathom::dynamic::gpu
