// What stands for aligned_alloc() and free() while files are in memory.
#include <sanitizer/asan_interface.h>

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

extern "C" void* __real_aligned_alloc(std::size_t, std::size_t);
extern "C" void __real_free(void*);

namespace fathom::fuzzing {
namespace {

constexpr std::size_t kPage = 4096;  // of memory

/// Large blocks of the library's memory: the allocator would map each anew, and its shadow too.
/// Invariant: nothing but the bytes of those in use can be reached.
class Blocks {
 public:
  static constexpr std::size_t kFrom = std::size_t{128} << 10, kMost = std::size_t{2} << 20;

  void* take(std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    for (Block& b : block_)
      if (!b.used && bytes <= b.capacity && b.capacity <= 2 * bytes) return give(b, bytes);
    const std::size_t capacity = (bytes / kPage + 2) * kPage;  // one page that no one may use
    void* const made = __real_aligned_alloc(kPage, capacity);
    if (!made) return nullptr;
    __asan_poison_memory_region(made, capacity);
    return give(block_.emplace_back(static_cast<std::byte*>(made), capacity - kPage), bytes);
  }
  bool put(const void* at) {
    const std::lock_guard lock(mutex_);
    for (Block& b : block_) {
      if (b.at != at || b.used == 0) continue;
      __asan_poison_memory_region(b.at, b.used);
      b.used = 0;
      return true;
    }
    return false;
  }

 private:
  struct Block {
    std::byte* at;
    std::size_t capacity, used = 0;
    Block(std::byte* a, std::size_t c) : at(a), capacity(c) {}
  };
  static void* give(Block& b, std::size_t bytes) {
    b.used = bytes;
    __asan_unpoison_memory_region(b.at, bytes);
    return b.at;
  }
  std::mutex mutex_;
  std::vector<Block> block_;
};

Blocks& blocks() {
  static auto* const all = new Blocks;  // as long as anything is
  return *all;
}

}  // namespace
}  // namespace fathom::fuzzing

using fathom::fuzzing::Blocks, fathom::fuzzing::blocks, fathom::fuzzing::kPage;

extern "C" {

void* __wrap_aligned_alloc(std::size_t alignment, std::size_t bytes) {
  const bool large = bytes >= Blocks::kFrom && bytes < Blocks::kMost && alignment <= kPage;
  return large ? blocks().take(bytes) : __real_aligned_alloc(alignment, bytes);
}
void __wrap_free(void* at) {
  // Those of others are not so aligned, but for few.
  const bool maybe = at && reinterpret_cast<std::uintptr_t>(at) % kPage == 0;
  if (!maybe || !blocks().put(at)) __real_free(at);
}

}  // extern "C"
