#include "fathom/core/memory_pool.hpp"

#include <sys/mman.h>

#include <cstdlib>

#include "fathom/core/memory_faults.hpp"
#include "fathom/core/units.hpp"

namespace fathom {
namespace {

// Above this, a block is mapped on its own, aligned to and rounded up to huge pages.
constexpr std::size_t kMapFrom = std::size_t{1} << 21;
constexpr std::size_t kHugePage = std::size_t{1} << 21;

std::size_t round_up(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

bool is_refused(std::size_t bytes) noexcept {
  const detail::PoolRefusal refusal = detail::pool_refusal.load(std::memory_order_relaxed);
  return refusal && refusal(bytes);
}

}  // namespace

std::atomic<detail::PoolRefusal> detail::pool_refusal{nullptr};

void* MemoryPool::allocate(std::size_t bytes) {
  if (bytes == 0) return nullptr;
  reserve(bytes);
  void* p = nullptr;
  try {
    if (!is_refused(bytes)) p = obtain(bytes);
  } catch (...) {
    unreserve(bytes);
    throw;
  }
  if (!p) {
    unreserve(bytes);
    throw Error(ErrorCode::DoesNotFit,
                name_ + ": the system has no " + format_bytes(bytes) + " left");
  }
  return p;
}

void MemoryPool::release(void* p, std::size_t bytes) noexcept {
  if (!p) return;
  give_back(p, bytes);
  unreserve(bytes);
}

void MemoryPool::reserve(std::size_t bytes) {
  if (try_reserve(bytes)) return;
  {
    const std::lock_guard lock(caches_mutex_);
    for (const auto& [handle, give_way] : caches_) {
      give_way(bytes);
      if (try_reserve(bytes)) return;
    }
  }
  if (try_reserve(bytes)) return;
  const std::size_t in_use = used();
  // Rounded up to KiB: the budget that is named is enough.
  const std::size_t needed = round_up(in_use + bytes, 1024) / 1024;
  throw Error(ErrorCode::DoesNotFit, name_ + ": " + format_bytes(bytes) + " more than the " +
                                         format_bytes(in_use) + " in use do not fit the limit of " +
                                         format_bytes(limit_) + "; at least " +
                                         std::to_string(needed) + " KiB would be needed");
}

bool MemoryPool::try_reserve(std::size_t bytes) noexcept {
  std::size_t old = used_.load(std::memory_order_relaxed);
  do {
    if (bytes > limit_ - old) return false;
  } while (!used_.compare_exchange_weak(old, old + bytes, std::memory_order_relaxed));
  std::size_t peak = peak_.load(std::memory_order_relaxed);
  while (peak < old + bytes &&
         !peak_.compare_exchange_weak(peak, old + bytes, std::memory_order_relaxed)) {
  }
  return true;
}

int MemoryPool::register_cache(std::function<void(std::size_t)> give_way) {
  const std::lock_guard lock(caches_mutex_);
  caches_.emplace(next_cache_, std::move(give_way));
  return next_cache_++;
}

void MemoryPool::forget_cache(int handle) noexcept {
  const std::lock_guard lock(caches_mutex_);
  caches_.erase(handle);
}

void MemoryPool::unreserve(std::size_t bytes) noexcept {
  used_.fetch_sub(bytes, std::memory_order_relaxed);
}

const std::shared_ptr<MemoryPool>& MemoryPool::unlimited() {
  static const auto pool = std::make_shared<MemoryPool>("host memory", kUnlimited);
  return pool;
}

void* MemoryPool::obtain(std::size_t bytes) {
  if (bytes < kMapFrom) return std::aligned_alloc(64, round_up(bytes, 64));
  // Over-map by one huge page and trim, so that the block starts on a huge-page border.
  const std::size_t size = round_up(bytes, kHugePage);
  void* mapped = ::mmap(nullptr, size + kHugePage, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) return nullptr;
  const auto start = reinterpret_cast<std::uintptr_t>(mapped);
  const std::uintptr_t aligned = round_up(start, kHugePage);
  if (aligned > start) ::munmap(mapped, aligned - start);
  const std::uintptr_t end = start + size + kHugePage;
  if (end > aligned + size) ::munmap(reinterpret_cast<void*>(aligned + size), end - aligned - size);
  void* block = reinterpret_cast<void*>(aligned);
  ::madvise(block, size, MADV_HUGEPAGE);  // advice: its refusal changes nothing but speed
  return block;
}

void MemoryPool::give_back(void* p, std::size_t bytes) noexcept {
  if (bytes < kMapFrom)
    std::free(p);
  else
    ::munmap(p, round_up(bytes, kHugePage));
}

}  // namespace fathom
