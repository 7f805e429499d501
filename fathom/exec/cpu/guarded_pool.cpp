#include "fathom/exec/cpu/guarded_pool.hpp"

#include <cstring>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

namespace fathom::cpu {
namespace {

void poison([[maybe_unused]] const void* p, [[maybe_unused]] std::size_t bytes,
            [[maybe_unused]] bool on) {
#if defined(__SANITIZE_ADDRESS__)
  if (on)
    __asan_poison_memory_region(p, bytes);
  else
    __asan_unpoison_memory_region(p, bytes);
#endif
}

// The same for part of a block. The sanitizer knows granules of 8 bytes: half of one, fenced again,
// would leave the other half open.
void poison_part(const void* p, std::size_t bytes, bool on) {
  const auto first = reinterpret_cast<std::uintptr_t>(p) / 8 * 8;
  const auto last = (reinterpret_cast<std::uintptr_t>(p) + bytes + 7) / 8 * 8;
  poison(reinterpret_cast<const void*>(first), last - first, on);
}

// Blocks are fenced as a whole, so one byte of a range answers for all of it.
bool is_poisoned([[maybe_unused]] const void* p) {
#if defined(__SANITIZE_ADDRESS__)
  return __asan_address_is_poisoned(p) != 0;
#else
  return false;
#endif
}

}  // namespace

void GuardedPool::fence(bool on) {
  const std::lock_guard lock(mutex_);
  if (fenced_ == on) return;
  fenced_ = on;
  for (const auto& [block, bytes] : blocks_) poison(block, bytes, on);
  if (!on) return;
  for (const auto& [part, bytes] : open_) poison(part, bytes, false);
}

void GuardedPool::adopt(const void* p, std::size_t bytes) {
  if (!p || bytes == 0) return;
  const std::lock_guard lock(mutex_);
  blocks_[p] = bytes;
  if (fenced_) poison(p, bytes, true);
}

void GuardedPool::disown(const void* p) noexcept {
  const std::lock_guard lock(mutex_);
  const auto block = blocks_.find(p);
  if (block == blocks_.end()) return;
  // Whole granules: of half of one the sanitizer would remember that where memory is mapped anew.
  poison_part(block->first, block->second, false);
  blocks_.erase(block);
}

void GuardedPool::open(const void* p, std::size_t bytes) {
  if (!p || bytes == 0) return;
  const std::lock_guard lock(mutex_);
  open_[p] = bytes;
  if (fenced_) poison(p, bytes, false);
}

void GuardedPool::close(const void* p) noexcept {
  const std::lock_guard lock(mutex_);
  const auto part = open_.find(p);
  if (part == open_.end()) return;
  if (fenced_) poison(part->first, part->second, true);
  open_.erase(part);
}

void* GuardedPool::obtain(std::size_t bytes) {
  void* p = MemoryPool::obtain(bytes);
  try {
    if (p) adopt(p, bytes);
  } catch (...) {
    MemoryPool::give_back(p, bytes);
    throw;
  }
  return p;
}

void GuardedPool::give_back(void* p, std::size_t bytes) noexcept {
  disown(p);
  MemoryPool::give_back(p, bytes);
}

void copy_across(void* to, const void* from, std::size_t bytes) {
  if (bytes == 0) return;
  const bool to_fenced = is_poisoned(to);
  const bool from_fenced = is_poisoned(from);
  if (to_fenced) poison_part(to, bytes, false);
  if (from_fenced) poison_part(from, bytes, false);
  std::memcpy(to, from, bytes);
  if (to_fenced) poison_part(to, bytes, true);
  if (from_fenced) poison_part(from, bytes, true);
}

}  // namespace fathom::cpu
