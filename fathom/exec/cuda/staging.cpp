#include "fathom/exec/cuda/staging.hpp"

#include <algorithm>
#include <cstring>

#include "fathom/exec/cuda/gpu.hpp"

namespace fathom::cuda {

Staging::Staging() {
  void* memory = nullptr;
  check(cudaHostAlloc(&memory, kBytes, cudaHostAllocDefault), "allocating pinned memory");
  memory_ = static_cast<std::byte*>(memory);
  for (cudaEvent_t& event : sent_)
    check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "creating an event");
}

Staging::~Staging() {
  for (const cudaEvent_t event : sent_) {
    cudaEventSynchronize(event);
    cudaEventDestroy(event);
  }
  cudaFreeHost(memory_);
}

void Staging::send(cudaStream_t stream, void* to, const void* from, std::size_t bytes) {
  for (std::size_t done = 0; done < bytes; done += kSlotBytes) {
    const std::size_t count = std::min(kSlotBytes, bytes - done);
    // An event that was never recorded has happened.
    check(cudaEventSynchronize(sent_[next_]), "waiting for a copy");
    std::byte* const slot = memory_ + next_ * kSlotBytes;
    std::memcpy(slot, static_cast<const std::byte*>(from) + done, count);
    check(cudaMemcpyAsync(static_cast<std::byte*>(to) + done, slot, count, cudaMemcpyHostToDevice,
                          stream),
          "copying memory");
    check(cudaEventRecord(sent_[next_], stream), "recording an event");
    next_ = (next_ + 1) % kSlots;
  }
}

}  // namespace fathom::cuda
