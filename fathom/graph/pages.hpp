// Page-granular scratch memory: what is never written costs nothing, what is released is returned
// to the system at once. A staging area that shrinks while its successor grows needs both, and a
// general-purpose heap promises neither.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>

namespace fathom::graph {

template <class T>
class Pages {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Pages() = default;
  /// Room for `capacity` records, uninitialised and not resident until written.
  explicit Pages(std::size_t capacity) : capacity_(capacity) {
    if (capacity == 0) return;
    void* mapped = ::mmap(nullptr, capacity * sizeof(T), PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED) throw std::bad_alloc();
    data_ = static_cast<T*>(mapped);
  }
  Pages(Pages&& other) noexcept { swap(other); }
  Pages& operator=(Pages&& other) noexcept {
    Pages(std::move(other)).swap(*this);
    return *this;
  }
  ~Pages() {
    if (data_) ::munmap(data_, capacity_ * sizeof(T));
  }

  /// Asks for huge pages: for blocks that are filled whole.
  void prefer_huge() {
    if (data_) ::madvise(data_, capacity_ * sizeof(T), MADV_HUGEPAGE);
  }

  /// Makes a part resident at once, where the system can. Whoever scatters into all of a block
  /// would otherwise wait for every page of it.
  void populate(std::size_t first, std::size_t count) {
#ifdef MADV_POPULATE_WRITE
    constexpr std::size_t kPage = 4096;
    const std::size_t begin = first * sizeof(T) / kPage * kPage;
    const std::size_t end = std::min((first + count) * sizeof(T), capacity_ * sizeof(T));
    if (begin < end)
      ::madvise(reinterpret_cast<char*>(data_) + begin, end - begin, MADV_POPULATE_WRITE);
#endif
  }

  /// The first `count` records are not needed any more: returns their whole pages.
  void release_prefix(std::size_t count) {
    constexpr std::size_t kPage = 4096;
    const std::size_t bytes = count * sizeof(T) / kPage * kPage;
    if (bytes > 0) ::madvise(data_, bytes, MADV_DONTNEED);
  }

  /// The same of all but the first `count`.
  void release_after(std::size_t count) {
    constexpr std::size_t kPage = 4096;
    const std::size_t kept = (count * sizeof(T) + kPage - 1) / kPage * kPage;
    if (kept < capacity_ * sizeof(T))
      ::madvise(reinterpret_cast<char*>(data_) + kept, capacity_ * sizeof(T) - kept, MADV_DONTNEED);
  }

  T* data() {
    return data_;
  }
  const T* data() const {
    return data_;
  }
  std::size_t capacity() const {
    return capacity_;
  }

  void swap(Pages& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(capacity_, other.capacity_);
  }

 private:
  T* data_ = nullptr;
  std::size_t capacity_ = 0;
};

}  // namespace fathom::graph
