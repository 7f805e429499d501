#include "fathom/residency/cuda/page_table.hpp"

namespace fathom::cuda {

PageUpdates::PageUpdates(const Gpu& gpu, std::size_t most) : gpu_(gpu) {
  void* memory = nullptr;
  gpu.activate();
  check(cudaHostAlloc(&memory, (most + 1) * sizeof(PageEntry), cudaHostAllocDefault),
        "allocating pinned memory");
  at_ = static_cast<PageEntry*>(memory);
  check(cudaEventCreateWithFlags(&read_, cudaEventDisableTiming), "creating an event");
}

PageUpdates::~PageUpdates() {
  cudaEventSynchronize(read_);
  cudaEventDestroy(read_);
  cudaFreeHost(at_);
}

void PageUpdates::begin() {
  check(cudaEventSynchronize(read_), "waiting for page updates (or an earlier kernel)");
  size_ = applied_ = 0;
}

void PageUpdates::apply(const PageTable& table) {
  update_pages(gpu_, at_ + applied_, size_ - applied_, table);
  applied_ = size_;
  check(cudaEventRecord(read_, gpu_.stream()), "recording an event");
}

}  // namespace fathom::cuda
