// A file in memory: what is past its end is poisoned, and its room is there for the next one.
#pragma once

#include <sanitizer/asan_interface.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <utility>
#include <vector>

extern "C" void* __real_aligned_alloc(std::size_t, std::size_t);
extern "C" void __real_free(void*);

namespace fathom::fuzzing {

inline constexpr std::size_t kPage = 4096;  // of memory

inline void expect(bool condition, const char* otherwise) {
  if (condition) return;
  std::fprintf(stderr, "files in memory: %s\n", otherwise);
  std::abort();
}

struct Freed {
  void operator()(std::byte* p) const { __real_free(p); }
};
struct Room {
  std::unique_ptr<std::byte, Freed> bytes;
  std::size_t capacity = 0;
};

/// What files leave for the next ones: an allocation is poisoned as a whole when it goes.
inline std::vector<Room>& spare_rooms() {
  static auto* const rooms = new std::vector<Room>;  // as long as anything is
  return *rooms;
}

/// Invariant: bytes [size, capacity) are poisoned.
class File {
 public:
  File() {
    if (spare_rooms().empty()) return;
    room_ = std::move(spare_rooms().back());
    spare_rooms().pop_back();
  }
  ~File() {
    resize(0);
    if (room_.bytes) spare_rooms().push_back(std::move(room_));
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  std::byte* data() const { return room_.bytes.get(); }
  std::size_t size() const { return size_; }

  void write(std::size_t at, std::span<const std::byte> bytes) {
    const std::size_t before = size_;
    if (at + bytes.size() > before) resize(at + bytes.size());
    if (at > before) std::memset(data() + before, 0, at - before);
    if (!bytes.empty()) std::memcpy(data() + at, bytes.data(), bytes.size());
  }
  std::size_t read(std::size_t at, std::byte* into, std::size_t bytes) const {
    const std::size_t n = at < size_ ? std::min(bytes, size_ - at) : 0;
    if (n > 0) std::memcpy(into, data() + at, n);
    return n;
  }
  /// Bytes that it gains hold anything.
  void resize(std::size_t size) {
    expect(maps == 0 || size == size_, "one that is mapped changes its size");
    if (size > room_.capacity) grow(size);
    if (size > size_)
      __asan_unpoison_memory_region(data() + size_, size - size_);
    else
      __asan_poison_memory_region(data() + size, size_ - size);
    size_ = size;
  }

  int maps = 0;

 private:
  void grow(std::size_t size) {
    const std::size_t capacity = (std::max(size, 2 * room_.capacity) + kPage - 1) / kPage * kPage;
    Room room;
    room.bytes.reset(static_cast<std::byte*>(__real_aligned_alloc(kPage, capacity)));
    expect(room.bytes != nullptr, "no memory");
    room.capacity = capacity;
    if (size_ > 0) std::memcpy(room.bytes.get(), data(), size_);
    __asan_poison_memory_region(room.bytes.get() + size_, capacity - size_);
    std::swap(room_, room);
  }

  Room room_;
  std::size_t size_ = 0;
};

}  // namespace fathom::fuzzing
