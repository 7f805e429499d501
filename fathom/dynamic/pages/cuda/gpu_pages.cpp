#include "fathom/dynamic/pages/cuda/gpu_pages.hpp"

#include <algorithm>

namespace fathom::dynamic::gpu {

GpuPages::GpuPages(cuda::Gpu& gpu, std::size_t limit, const HostShare& host)
    : GpuPages(gpu, limit, host, 0, 0) {}

GpuPages::GpuPages(cuda::Gpu& gpu, std::size_t limit, const HostShare& host, std::size_t addresses,
                   int least)
    : gpu_(gpu),
      memory_(gpu, std::min(limit, kMostPageBytes), addresses, host),
      pool_(gpu, memory_, least) {}

void GpuPages::assign(const Side* sides, const Rooms& rooms, Totals* totals, Totals* found) {
  assign_pages(gpu_, pool_.ref(), pool_.plan(), sides, rooms, totals, found);
}

void GpuPages::grow(const Totals& found) {
  if (found.missing != 0) pool_.grow(found.border, found.missing);
  pool_.make_rooms(found.free, found.returned);
}

void GpuPages::commit(const Side& side, const Retired& retired, bool settles,
                      const Totals* totals) {
  commit_side(gpu_, side, pool_.ref(), retired, settles ? pool_.plan() : nullptr, totals);
}

void GpuPages::settle(const Totals* totals) {
  gpu::settle(gpu_, pool_.ref(), pool_.plan(), totals);
}

void GpuPages::take_in(const Totals& found) noexcept {
  pool_.expect_free(found.free, found.returned);  // there is room
  pool_.count(found.wanted, found.returned);
}

void GpuPages::free(const PageRequest* page, std::size_t n, const std::uint32_t* more) {
  free_pages(gpu_, pool_.ref(), page, n);
  const std::uint32_t none[kPageSizes] = {};
  pool_.count(none, more);
}

std::unique_ptr<GpuPages> make_gpu_pages(PageAllocator allocator, cuda::Gpu& gpu, std::size_t limit,
                                         const HostShare& host) {
  switch (allocator) {
    case PageAllocator::Pool:
      break;
    case PageAllocator::SP:
    case PageAllocator::SC:
      return make_pages_of_standard(allocator, gpu, limit, host);
    case PageAllocator::VAP:
    case PageAllocator::VAC:
      return make_pages_of_virtual_arrays(allocator, gpu, limit, host);
    case PageAllocator::VLP:
    case PageAllocator::VLC:
      return make_pages_of_virtual_lists(allocator, gpu, limit, host);
    case PageAllocator::Cuda:
      return make_pages_of_cuda(gpu, limit);
  }
  return std::make_unique<GpuPages>(gpu, limit, host);
}

}  // namespace fathom::dynamic::gpu
