// Where work runs and how much memory it may use. Passed explicitly; there is no global state.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "fathom/core/array.hpp"
#include "fathom/core/function_ref.hpp"
#include "fathom/core/memory_pool.hpp"
#include "fathom/core/parallel.hpp"
#include "fathom/core/task.hpp"

namespace fathom {

/// One memory and the kernels that run on it: the host itself, or an emulated device.
class Device {
 public:
  Device(int index, std::shared_ptr<MemoryPool> memory)
      : index_(index), memory_(std::move(memory)) {}

  int index() const { return index_; }
  const std::shared_ptr<MemoryPool>& memory() const { return memory_; }

 private:
  int index_;
  std::shared_ptr<MemoryPool> memory_;
};

struct CpuOptions {
  int threads = 0;                                     // 0: one per available processor
  std::size_t host_memory = MemoryPool::kUnlimited;    // bytes of budgeted host allocations
  int devices = 0;                                     // 0: run on the host; N: emulate N devices
  std::size_t device_memory = MemoryPool::kUnlimited;  // bytes of each emulated device
  Task task;                                           // cancellation and progress
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

  Context(Context&&) noexcept;
  Context& operator=(Context&&) noexcept;
  ~Context();

  int threads() const;
  const Task& task() const;

  /// At least one. The vertex state of an algorithm has a replica on each.
  std::span<const Device> devices() const;
  /// Whether devices() are apart from the host: nothing is shared, everything is copied.
  bool emulated() const;
  const std::shared_ptr<MemoryPool>& host_memory() const;

  /// Runs host code that stands for kernels of `device`: inside, only its memory is reachable.
  void launch(const Device& device, FunctionRef<void()> kernels) const;

  /// Copies between any two memories.
  void copy(void* to, const void* from, std::size_t bytes) const;

  /// Declares host memory that kernels must not touch directly although no pool owns it.
  void fence_host(const void* p, std::size_t bytes) const;
  void unfence_host(const void* p) const noexcept;

  /// The largest use of any one emulated device (0 without), and of the host pool, in bytes.
  std::size_t peak_device_bytes() const;
  std::size_t peak_host_bytes() const;

 private:
  struct State;
  explicit Context(std::unique_ptr<State>);
  std::unique_ptr<State> state_;
};

}  // namespace fathom
