// Managers whose queues are linked chunks.
#include "fathom/dynamic/pages/cuda/manager_owner.cuh"

namespace fathom::dynamic::gpu {

std::unique_ptr<GpuPages> make_pages_of_virtual_lists(PageAllocator allocator, cuda::Gpu& gpu,
                                                      std::size_t limit, const HostShare& host) {
  return allocator == PageAllocator::VLP
             ? make_manager_pages<memory::VLP>(allocator, gpu, limit, host)
             : make_manager_pages<memory::VLC>(allocator, gpu, limit, host);
}

}  // namespace fathom::dynamic::gpu
