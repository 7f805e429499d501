// Budgeted memory. Every large allocation of a context goes through a pool, so that a budget is a
// promise and the peak is known exactly.
//
// Invariants: used() = sum of the live allocations' bytes; used() <= peak() <= limit().
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "fathom/core/error.hpp"

namespace fathom {

/// Hands out page-aligned memory until its limit. Thread-safe.
class FATHOM_API MemoryPool {
 public:
  static constexpr std::size_t kUnlimited = std::numeric_limits<std::size_t>::max();

  /// `name` appears in messages ("host memory", "device 0").
  MemoryPool(std::string name, std::size_t limit) : name_(std::move(name)), limit_(limit) {}
  virtual ~MemoryPool() = default;
  MemoryPool(const MemoryPool&) = delete;
  MemoryPool& operator=(const MemoryPool&) = delete;

  /// Uninitialised memory, aligned to at least 64 bytes.
  /// @throws Error(DoesNotFit) naming the pool, the request, what is in use and the smallest limit
  ///         that would have satisfied it.
  void* allocate(std::size_t bytes);
  void release(void* p, std::size_t bytes) noexcept;

  /// Counts memory that is obtained elsewhere (vectors of a builder, a library's workspace)
  /// against the budget; throws like allocate().
  void reserve(std::size_t bytes);
  void unreserve(std::size_t bytes) noexcept;

  /// Registers a cache that can give memory back: when an allocation would exceed the limit, each
  /// registered function is called with the size of the allocation, which is then tried again.
  /// Returns a handle for forget_cache().
  int register_cache(std::function<void(std::size_t bytes)> give_way);
  void forget_cache(int handle) noexcept;

  const std::string& name() const { return name_; }
  std::size_t limit() const { return limit_; }
  std::size_t used() const { return used_.load(std::memory_order_relaxed); }
  std::size_t peak() const { return peak_.load(std::memory_order_relaxed); }
  std::size_t available() const { return limit_ - used(); }

  /// A pool without a limit, for callers that have no context.
  static const std::shared_ptr<MemoryPool>& unlimited();

 protected:
  /// Obtain and return the memory itself. The default maps anonymous memory for large blocks and
  /// asks for huge pages: traversals read vertex state at random, and 4 KiB translations dominate.
  virtual void* obtain(std::size_t bytes);
  virtual void give_back(void* p, std::size_t bytes) noexcept;

 private:
  bool try_reserve(std::size_t bytes) noexcept;

  std::string name_;
  std::size_t limit_;
  std::atomic<std::size_t> used_{0};
  std::atomic<std::size_t> peak_{0};
  std::mutex caches_mutex_;
  std::map<int, std::function<void(std::size_t)>> caches_;
  int next_cache_ = 0;
};

}  // namespace fathom
