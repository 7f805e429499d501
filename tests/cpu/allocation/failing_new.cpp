#include "tests/cpu/allocation/failing_new.hpp"

#include <atomic>
#include <cstdlib>
#include <new>

#include "fathom/core/memory_faults.hpp"

namespace fathom::testing {
namespace {

std::atomic<bool> is_counting{false};
std::atomic<std::uint64_t> asked_for{0}, fails_at{0};
std::atomic<bool> lasts{false};

bool fails() noexcept {
  if (!is_counting.load(std::memory_order_relaxed)) return false;
  const std::uint64_t number = asked_for.fetch_add(1, std::memory_order_relaxed) + 1;
  const std::uint64_t at = fails_at.load(std::memory_order_relaxed);
  return number == at || (number > at && lasts.load(std::memory_order_relaxed));
}

bool pool_fails(std::size_t) noexcept {
  return fails();
}

void* allocate(std::size_t bytes, std::size_t alignment) {
  if (fails()) throw std::bad_alloc();
  if (bytes == 0) bytes = 1;
  void* const p =
      alignment <= alignof(std::max_align_t)
          ? std::malloc(bytes)
          : std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  if (!p) throw std::bad_alloc();
  return p;
}

}  // namespace

FailingAllocations::FailingAllocations(std::uint64_t at, bool lasting) {
  fails_at = at;
  lasts = lasting;
  asked_for = 0;
  fathom::detail::pool_refusal = pool_fails;
  is_counting = true;
}

FailingAllocations::~FailingAllocations() {
  is_counting = false;
  fathom::detail::pool_refusal = nullptr;
}

std::uint64_t FailingAllocations::asked() {
  return asked_for;
}

}  // namespace fathom::testing

void* operator new(std::size_t bytes) {
  return fathom::testing::allocate(bytes, 1);
}
void* operator new[](std::size_t bytes) {
  return fathom::testing::allocate(bytes, 1);
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return fathom::testing::allocate(bytes, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t bytes, std::align_val_t alignment) {
  return fathom::testing::allocate(bytes, static_cast<std::size_t>(alignment));
}
// Temporary buffers of sorts; the address sanitizer has forms of its own.
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  try {
    return fathom::testing::allocate(bytes, 1);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
void* operator new[](std::size_t bytes, const std::nothrow_t& nothrow) noexcept {
  return operator new(bytes, nothrow);
}
void operator delete(void* p) noexcept {
  std::free(p);
}
void operator delete[](void* p) noexcept {
  std::free(p);
}
void operator delete(void* p, std::size_t) noexcept {
  std::free(p);
}
void operator delete[](void* p, std::size_t) noexcept {
  std::free(p);
}
void operator delete(void* p, std::align_val_t) noexcept {
  std::free(p);
}
void operator delete[](void* p, std::align_val_t) noexcept {
  std::free(p);
}
void operator delete(void* p, std::size_t, std::align_val_t) noexcept {
  std::free(p);
}
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept {
  std::free(p);
}
