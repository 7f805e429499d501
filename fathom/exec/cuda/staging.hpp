// Host memory on its way to a GPU: copied into pinned memory at once, and from there in the order
// of the GPU's stream, so that whoever sends waits for no kernel.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <span>
#include <vector>

namespace fathom::cuda {

/// Of host memory to a device.
struct Transfer {
  void* to;
  const void* from;
  std::size_t bytes;
};

class Staging {
 public:
  /// Pinned host memory in slots that are filled while others are on their way. `threads` fill
  /// one. Of the current device. @throws Error(Device), Error(DoesNotFit)
  Staging(std::size_t slots, std::size_t slot_bytes, int threads);
  ~Staging();
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  std::size_t bytes() const { return sent_.size() * slot_bytes_; }
  std::size_t slot_bytes() const { return slot_bytes_; }
  int threads() const { return threads_; }

  /// `from` may change when it returns; `to` has the bytes for what the stream, which is of the
  /// device, queues from now on.
  void send(cudaStream_t stream, void* to, const void* from, std::size_t bytes) {
    const Transfer one{to, from, bytes};
    send(stream, {&one, 1});
  }
  /// Several share slots: threads that fill one together take as long for a little as for more.
  void send(cudaStream_t stream, std::span<const Transfer> transfers);
  /// The other way; done when it returns.
  void receive(cudaStream_t stream, void* to, const void* from, std::size_t bytes);

  /// A slot for the caller to fill, and for kernels to read where it is. Waits until it is free.
  std::byte* take_slot();
  /// That slot is free again once the stream has done what it has queued.
  void leave_slot(cudaStream_t stream);

 private:
  void release() noexcept;
  std::byte* slot(std::size_t k) const { return memory_ + k * slot_bytes_; }
  void copy(void* to, const void* from, std::size_t bytes) const;
  void send_slot(cudaStream_t stream, std::span<const Transfer> parts);

  std::size_t slot_bytes_;
  int threads_;
  std::byte* memory_ = nullptr;
  std::vector<cudaEvent_t> sent_;  // the last copy from or to each slot
  std::size_t next_ = 0;
};

}  // namespace fathom::cuda
