// The manager whose queues hold pages and lie in arrays.
#include "fathom/dynamic/cuda/manager_owner.cuh"

namespace fathom::dynamic::gpu {

std::unique_ptr<GpuPages> make_pages_of_pages(cuda::Gpu& gpu, std::size_t limit) {
  return make_manager_pages<memory::SP>(gpu, limit);
}

}  // namespace fathom::dynamic::gpu
