// Copies of host memory to a device: out of pinned memory by the copy engine alone, out of memory
// that is still being pinned (PinnedPieces) through a ring of pinned slots that host threads fill.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "fathom/core/memory_pool.hpp"
#include "fathom/exec/context.hpp"
#include "fathom/exec/cuda/staging.hpp"

namespace fathom::cuda {

/// One thread at a time.
class HostCopies {
 public:
  /// The ring is obtained when it is first needed and counts against the host's budget; where that
  /// is tight it is small, or the driver copies in its own way.
  HostCopies(const Context& ctx, const Gpu& gpu);
  /// Waits for copies that read the ring.
  ~HostCopies();
  HostCopies(const HostCopies&) = delete;
  HostCopies& operator=(const HostCopies&) = delete;

  /// What a call of queue() fills best.
  static constexpr std::size_t kGoodBytes = std::size_t{8} << 20;  // docs/adr/0014

  /// Whether some of the memory waits to be pinned: it is then read before queue() returns.
  static bool staged(const void* from, std::size_t bytes);
  /// Queues copies of host memory to the device, in the stream's order.
  void queue(cudaStream_t stream, std::span<const Transfer> transfers);
  void queue(cudaStream_t stream, void* to, const void* from, std::size_t bytes) {
    const Transfer one{to, from, bytes};
    queue(stream, {&one, 1});
  }
  /// Gives the ring back; the next copy that needs it obtains one. Waits for copies out of it.
  void drop_ring() noexcept;
  /// Bytes that went through the ring.
  std::uint64_t staged_bytes() const { return staged_bytes_; }

 private:
  Staging* ring();

  const Gpu& gpu_;
  std::shared_ptr<MemoryPool> host_;
  int threads_;
  std::unique_ptr<Staging> ring_;
  std::vector<Transfer> waiting_;  // of the call of queue() under way
  std::uint64_t staged_bytes_ = 0;
};

}  // namespace fathom::cuda
