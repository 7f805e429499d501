// One CUDA device in use: its stream, its budgeted memory, and the scratch space of its kernels.
//
// For .cpp and .cu files of CUDA builds only; public headers know the name `cuda::Gpu` alone.
#pragma once

#include <cuda_runtime_api.h>

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "fathom/core/array.hpp"
#include "fathom/core/memory_pool.hpp"
#include "fathom/exec/cuda/status.hpp"
#include "fathom/exec/link_profile.hpp"

namespace fathom::cuda {

/// Throws Error(Device), or Error(DoesNotFit) when memory ran out, naming `what` was attempted.
FATHOM_API void check(cudaError_t status, const char* what);

/// Stream-ordered device memory under a hard limit.
///
/// Invariant: what the driver holds for the pool stays below the limit: blocks given back are kept
/// for reuse, and returned to the driver when keeping them would break it.
class DevicePool final : public MemoryPool {
 public:
  DevicePool(std::string name, int ordinal, std::size_t limit, cudaStream_t stream);
  ~DevicePool() override;

  /// Lets kernels and copies of another device use its memory; false when the driver refuses.
  bool open_to(int ordinal);

 protected:
  void* obtain(std::size_t bytes) override;
  void give_back(void* p, std::size_t bytes) noexcept override;

 private:
  int ordinal_;
  cudaStream_t stream_;
  cudaMemPool_t pool_ = nullptr;
};

/// How a context uses one card.
struct GpuShare {
  std::size_t limit = MemoryPool::kUnlimited;
  int sharers = 1;                     // devices of the context on this card
  std::string pool = "device memory";  // what messages call it
};

class Collectives;
class RankCollectives;
class Staging;

class FATHOM_API Gpu {
 public:
  /// @throws Error(Device) without a driver or the device; Error(DoesNotFit) for a limit beyond
  ///         what is free for all sharers. kUnlimited: 95 % of what is free, divided among them.
  Gpu(int ordinal, const GpuShare& share);
  ~Gpu();
  Gpu(const Gpu&) = delete;
  Gpu& operator=(const Gpu&) = delete;

  int ordinal() const { return ordinal_; }
  const std::string& name() const { return name_; }
  /// Its stream. Makes the device the calling thread's current one, which kernels, allocations and
  /// events need: a thread may serve several devices, and a new one starts with the first.
  cudaStream_t stream() const {
    activate();
    return stream_;
  }
  void activate() const { check(cudaSetDevice(ordinal_), "selecting the CUDA device"); }
  const std::shared_ptr<MemoryPool>& memory() const { return memory_; }
  int multiprocessors() const { return multiprocessors_; }
  /// Blocks of one cluster run at the same time and share barriers (sm_90 and later).
  bool has_clusters() const { return has_clusters_; }

  /// What was measured of the link to host memory (fathom bench link), else what is assumed.
  const LinkProfile& link() const { return link_; }

  /// Blocks of a grid that fills the device with a kernel of 256 threads a block.
  unsigned grid(const void* kernel) const;

  /// Lets kernels of each reach the memory of the other, as far as the hardware can.
  static void connect(Gpu& a, Gpu& b);
  /// Whether kernels of this device may read and write memory of `other`.
  bool reaches(const Gpu& other) const;

  /// What merges whole replicas of the context's GPUs, of which this is the first; null: kernels.
  void merge_by(std::shared_ptr<Collectives> collectives) { collectives_ = std::move(collectives); }
  Collectives* collectives() const { return collectives_.get(); }
  /// What merges replicas with those of other ranks, where this is the rank's only GPU; null: the
  /// host.
  void merge_ranks_by(std::shared_ptr<RankCollectives> ranks) { ranks_ = std::move(ranks); }
  RankCollectives* rank_collectives() const { return ranks_.get(); }

  /// Notes what the stream has queued so far, for wait_for() of others.
  void mark() const;
  /// What the stream queues from now on comes after what `other` had queued at its last mark().
  void wait_for(const Gpu& other) const;

  /// Copies between any memories this process knows; done when it returns.
  void copy(void* to, const void* from, std::size_t bytes) const;
  /// Copies host memory to the device in the order of its stream, and does not wait for it; `from`
  /// may change when it returns. `host`: whose budget has plenty for a Staging, or else it
  /// waits. `threads` share a large copy.
  void send(void* to, const void* from, std::size_t bytes, const std::shared_ptr<MemoryPool>& host,
            int threads = 1);
  /// Copies device memory to the host, done when it returns; `threads` share a large copy.
  void receive(void* to, const void* from, std::size_t bytes,
               const std::shared_ptr<MemoryPool>& host, int threads);
  /// What send() fills for so many bytes, for who fills it; null where the budget is tight.
  Staging* staging(std::size_t bytes, const std::shared_ptr<MemoryPool>& host, int threads);
  /// Waits for the stream. @throws Error(Device) when a kernel failed, or reported to status().
  void wait() const;
  /// The same for who frees what kernels may still read: whatever has become of them.
  void settle() const noexcept;

  /// Where kernels report what is wrong.
  const StatusRef& status() const { return status_; }

  /// Pinned host memory that kernels write small results to; valid after wait().
  static constexpr std::size_t kMailbox = std::size_t{1} << 16;
  void* mailbox() const { return mailbox_; }

  /// Device memory for one operator's temporary data; the content is lost with the next call.
  void* scratch(std::size_t bytes);
  /// What scratch() holds now.
  std::size_t scratch_bytes() const { return scratch_.size(); }

 private:
  explicit Gpu(int ordinal);
  void check_status() const;

  int ordinal_;
  std::string name_;
  int multiprocessors_ = 0;
  bool has_clusters_ = false;
  cudaStream_t stream_ = nullptr;
  cudaEvent_t marked_ = nullptr;
  std::shared_ptr<DevicePool> pool_;
  std::shared_ptr<MemoryPool> memory_;  // the same
  std::vector<const Gpu*> reached_;
  LinkProfile link_;
  void* mailbox_ = nullptr;
  Array<unsigned> status_taken_;
  StatusRef status_{};
  Array<std::byte> scratch_;
  std::shared_ptr<Collectives> collectives_;
  std::shared_ptr<RankCollectives> ranks_;
  std::unique_ptr<Staging> staging_, wide_staging_;  // wide: for many threads
  std::shared_ptr<MemoryPool> staged_in_;            // the pool that has them in its budget
};

/// Begins to pin host memory that is there already, so that any GPU can copy from it and read it in
/// place (pin_host.hpp); false when it cannot be: small or unaligned arrays, some file systems.
bool pin_host(const void* p, std::size_t bytes);
void unpin_host(const void* p) noexcept;

/// Copies between any memories, in the order of the streams of the GPUs whose memory it is; done
/// when it returns.
void copy_among(std::span<const std::unique_ptr<Gpu>> gpus, void* to, const void* from,
                std::size_t bytes);

}  // namespace fathom::cuda
