// Host memory on its way to a GPU: copied into pinned memory at once, and from there in the order
// of the GPU's stream, so that whoever sends waits for no kernel.
#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <cstddef>

namespace fathom::cuda {

class Staging {
 public:
  /// Pinned host memory: slots that are filled while others are on their way. Filling them takes
  /// longer than copying them, even as small as this.
  static constexpr std::size_t kSlots = 4, kSlotBytes = std::size_t{256} << 10;
  static constexpr std::size_t kBytes = kSlots * kSlotBytes;

  /// Of the current device. @throws Error(Device), Error(DoesNotFit)
  Staging();
  ~Staging();
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  /// `from` may change when it returns; `to` has the bytes for what the stream, which is of the
  /// device, queues from now on.
  void send(cudaStream_t stream, void* to, const void* from, std::size_t bytes);

 private:
  std::byte* memory_ = nullptr;
  std::array<cudaEvent_t, kSlots> sent_{};
  std::size_t next_ = 0;
};

}  // namespace fathom::cuda
