// Where work runs and how much memory it may use. Passed explicitly; there is no global state.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "fathom/core/array.hpp"
#include "fathom/core/function_ref.hpp"
#include "fathom/core/memory_pool.hpp"
#include "fathom/core/parallel.hpp"
#include "fathom/core/task.hpp"

namespace fathom {
namespace cuda {
class Gpu;
}
class ReplicaGroup;

/// One memory and the kernels that run on it: the host itself, an emulated device, or a GPU.
class Device {
 public:
  Device(int index, std::shared_ptr<MemoryPool> memory, cuda::Gpu* gpu = nullptr, int ordinal = -1)
      : index_(index), ordinal_(ordinal), memory_(std::move(memory)), gpu_(gpu) {}

  /// Among the devices of its context.
  int index() const { return index_; }
  /// Of a GPU, as CUDA counts them: several devices may be on the same one. -1 for others.
  int ordinal() const { return ordinal_; }
  const std::shared_ptr<MemoryPool>& memory() const { return memory_; }
  /// Null but for a CUDA device.
  cuda::Gpu* gpu() const { return gpu_; }

 private:
  int index_, ordinal_;
  std::shared_ptr<MemoryPool> memory_;
  cuda::Gpu* gpu_;
};

struct CpuOptions {
  int threads = 0;                                     // 0: one per available processor
  std::size_t host_memory = MemoryPool::kUnlimited;    // bytes of budgeted host allocations
  int devices = 0;                                     // 0: run on the host; N: emulate N devices
  std::size_t device_memory = MemoryPool::kUnlimited;  // bytes of each emulated device
  Task task;                                           // cancellation and progress
  std::shared_ptr<ReplicaGroup> group = {};            // null: nobody works with this context
};

struct CudaOptions {
  /// Ordinal, as CUDA counts. Ranks of one machine that name no `devices` do not use it: they deal
  /// its cards out, one to each, and share their memory where there are fewer.
  int device = 0;
  /// Several GPUs: their ordinals, in place of `device`. One that is named k times stands for k
  /// devices, each with a pool and streams of its own, that share its memory and its link.
  std::vector<int> devices = {};
  /// Bytes of each device; what is free now when unlimited.
  std::size_t device_memory = MemoryPool::kUnlimited;
  int threads = 0;                                   // of host work; 0: one per processor
  std::size_t host_memory = MemoryPool::kUnlimited;  // bytes of budgeted host allocations
  /// Whether kernels may read and write the memory of other GPUs where the hardware lets them;
  /// otherwise everything between GPUs is copied.
  bool peer_access = true;
  /// Whether NCCL, if it is there, merges replicas of whole arrays: by default on several cards of
  /// which some do not reach each other, and among ranks that have a card each, unless memory is
  /// limited (NCCL takes some beside it).
  enum class Nccl { Auto, Never, Always };
  Nccl nccl = Nccl::Auto;
  Task task;  // cancellation and progress
  /// Null: nobody works with this context. All ranks of a group have contexts of one kind, with as
  /// many devices and the same `nccl` and limits of memory or none.
  std::shared_ptr<ReplicaGroup> group = {};
};

/// Movable. Everything made with a context must go before it does.
///
/// With emulated devices every kernel runs on one device at a time and reaches that device's
/// memory only; host memory and the other devices are poisoned meanwhile (address sanitizer), and
/// so is device memory while no kernel runs. Contents move by copy() alone.
class FATHOM_API Context {
 public:
  /// @throws Error(Usage) for a negative count.
  static Context cpu(const CpuOptions& options = {});

  /// One CUDA device, or several. `device_memory` is the hard limit of all allocations of a device
  /// together; memory that the driver migrates (the managed residency) is reported, not limited.
  /// @throws Error(Device) when the program was built without CUDA, or the driver or a device is
  ///         missing or busy; Error(DoesNotFit) when the limit is more than what is free;
  ///         Error(Usage) for more than kMostGpus.
  static Context cuda(const CudaOptions& options = {});
  static constexpr std::size_t kMostGpus = 64;

  Context(Context&&) noexcept;
  Context& operator=(Context&&) noexcept;
  ~Context();

  int threads() const;
  const Task& task() const;

  /// At least one. The vertex state of an algorithm has a replica on each.
  std::span<const Device> devices() const;
  /// The ranks that work on the same graph; each has as many devices as this one.
  ReplicaGroup& group() const;
  int ranks() const;
  /// Replicas of vertex state there are on all ranks, and which of them the first of devices() has.
  /// With more than one, edges are shared out, and what changes state has to be merged.
  std::size_t replicas() const;
  std::size_t first_replica() const;
  /// Whether devices() have memories of their own: nothing is shared, everything is copied.
  bool separate() const;
  /// Whether devices() are GPUs.
  bool on_gpu() const;
  /// The name of what runs the kernels: "cpu", "cpu (2 emulated devices)", "NVIDIA H200",
  /// "2 x NVIDIA H200".
  std::string device_name() const;
  /// The name of one GPU; of other devices that of all.
  std::string device_name(const Device& device) const;
  const std::shared_ptr<MemoryPool>& host_memory() const;

  /// Runs host code that stands for kernels of `device`: inside, only its memory is reachable.
  /// @throws Error(Device) on a GPU: the caller has no device code.
  void launch(const Device& device, FunctionRef<void()> kernels) const;

  /// Calls body(device) for each device. Those of several GPUs run at the same time, each in a
  /// thread of its own, which is always the same for a device; others one after the other.
  /// Rethrows what the first device that failed has thrown, when all are done. Not reentrant.
  void on_each(FunctionRef<void(const Device&)> body) const;

  /// Copies between any two memories, after the kernels that were started on them; done when it
  /// returns.
  void copy(void* to, const void* from, std::size_t bytes) const;

  /// Copies host memory to that of `device`, for the kernels that are started from now on. It waits
  /// for none of those before; `from` may change when it returns. One thread per device.
  void send(const Device& device, void* to, const void* from, std::size_t bytes) const;

  /// Waits for kernels under way. @throws Error(Device) when one failed.
  void wait() const;

  /// Copies elements of `size` bytes at several places of `values`, in the memory of `device`, to
  /// host memory.
  void gather(const Device& device, const void* values, std::size_t size,
              std::span<const std::size_t> at, void* to) const;

  /// Sets values[0 .. count) in the memory of `device` to copies of the `size` bytes at `value`.
  void fill(const Device& device, void* values, std::size_t count, const void* value,
            std::size_t size) const;

  /// Declares host memory that kernels must not touch directly although no pool owns it.
  void fence_host(const void* p, std::size_t bytes) const;
  void unfence_host(const void* p) const noexcept;

  /// Host memory that kernels of emulated devices may read until it is closed, as a GPU reads
  /// pinned memory in place. Elsewhere nothing is done.
  void open_host(const void* p, std::size_t bytes) const;
  void close_host(const void* p) const noexcept;

  /// Whether merges of whole replicas go through NCCL, which is loaded if it has to be; and why
  /// not. All ranks of a group ask, or none.
  bool merges_by_nccl() const;
  std::string why_not_nccl() const;

  /// Lets GPUs copy from host memory at the link's rate, without the driver's staging. False where
  /// nothing was pinned: on other devices, or when the driver cannot; such memory works all the
  /// same. What was pinned is to be unpinned before the memory goes.
  bool pin_host(const void* p, std::size_t bytes) const;
  void unpin_host(const void* p) const noexcept;

  /// The largest use of any one device (0 without), and of the host pool, in bytes.
  std::size_t peak_device_bytes() const;
  std::size_t peak_host_bytes() const;

 private:
  struct State;
  explicit Context(std::unique_ptr<State>);
  std::unique_ptr<State> state_;
};

}  // namespace fathom
