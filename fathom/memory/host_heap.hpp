// HostHeap: owns a region in host memory and hands out the manager that works in it. Address space
// is reserved once; memory behind it is used as it is touched, or as far as grow() allows.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

#include "fathom/core/error.hpp"
#include "fathom/memory/inspect.hpp"
#include "fathom/memory/relocate.hpp"

namespace fathom::memory {

template <class Manager>
class HostHeap {
 public:
  /// A heap of options.bytes, of which `usable` bytes (all by default) may be used by chunks.
  /// @throws Error(Usage) for regions below one chunk or above 512 GiB, Error(DoesNotFit) when the
  /// address space cannot be had.
  explicit HostHeap(const HeapOptions& options, std::uint64_t usable = ~std::uint64_t{0})
      : options_(options) {
    if (options.bytes < kChunkBytes || options.bytes > kMostRegion)
      throw Error(ErrorCode::Usage, "a heap needs 8192 bytes to 512 GiB of data, " +
                                        std::to_string(options.bytes) + " were asked for");
    const Layout layout = make_layout<Manager>(options);
    manager_ = Manager(map_aligned(layout.bytes), layout);
    usable_ = usable < options.bytes ? usable : options.bytes;
    reset();
  }
  ~HostHeap() {
    if (manager_.heap().base != nullptr)
      ::munmap(manager_.heap().base, manager_.heap().layout.bytes);
  }
  HostHeap(HostHeap&& other) noexcept
      : manager_(std::exchange(other.manager_, Manager())),
        options_(other.options_),
        usable_(other.usable_) {}
  HostHeap& operator=(HostHeap other) noexcept {
    std::swap(manager_, other.manager_);
    std::swap(options_, other.options_);
    std::swap(usable_, other.usable_);
    return *this;
  }

  /// The handle; copies stay valid as long as this owner and until resize().
  Manager manager() const { return manager_; }

  /// Forgets every allocation and the front.
  void reset() {
    reset_tables(manager_.heap(), 0, 1);
    reset_control<Manager>(manager_.heap(), manager_.heap().layout.units * kChunkBytes, usable_);
  }

  /// Lets chunks use `bytes` more of the reserved region; nothing moves. While quiescent.
  void grow(std::uint64_t bytes) {
    usable_ = bytes < options_.bytes - usable_ ? usable_ + bytes : options_.bytes;
    Word& limits = manager_.heap().control().limits;
    limits.atomic().store(limits.load() >> 32 << 32 | usable_ / kChunkBytes, Order::Release);
  }

  /// Moves everything into a region of `bytes`, larger or smaller, by copies. Indices
  /// (index_of()) stay, pointers do not. Chunks may use as many bytes as before, or all of the new
  /// region if all were theirs. While quiescent.
  /// @throws Error(DoesNotFit) when front and chunks do not fit; the heap is as before.
  void resize(std::uint64_t bytes) {
    const std::uint64_t needed =
        manager_.front_bytes() + manager_.heap().chunks_taken() * kChunkBytes;
    if (bytes / kChunkBytes * kChunkBytes < needed)
      throw Error(ErrorCode::DoesNotFit, "the heap holds " + std::to_string(needed) +
                                             " bytes, which do not fit into " +
                                             std::to_string(bytes));
    HeapOptions options = options_;
    options.bytes = bytes;
    HostHeap moved(options, usable_ < options_.bytes ? usable_ : bytes);
    for_each_moved_piece(
        manager_, moved.manager_, manager_.front_bytes(), manager_.heap().chunks_taken(),
        [](void* to, const void* from, std::size_t n) { std::memcpy(to, from, n); });
    if (!relocate_control(manager_, moved.manager_))
      throw Error(ErrorCode::DoesNotFit, "the heap's queues do not fit into a region of " +
                                             std::to_string(bytes) + " bytes");
    *this = std::move(moved);
  }

  Stats stats() const { return memory::stats(manager_); }
  Broken valid() const { return memory::valid(manager_); }

 private:
  /// From a multiple of a chunk on, where the system knows of its own pages alone.
  static std::byte* map_aligned(std::uint64_t bytes) {
    const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    const std::uint64_t size = (bytes + page - 1) / page * page;
    const std::uint64_t extra = page < kChunkBytes ? kChunkBytes - page : 0;
    void* const mapped = ::mmap(nullptr, size + extra, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED)
      throw Error(ErrorCode::DoesNotFit,
                  "no address space for a heap of " + std::to_string(bytes) + " bytes");
    auto* const first = static_cast<std::byte*>(mapped);
    const std::uint64_t before = -reinterpret_cast<std::uintptr_t>(first) % kChunkBytes;
    if (before > 0) ::munmap(first, before);
    if (before < extra) ::munmap(first + before + size, extra - before);
    return first + before;
  }

  Manager manager_;
  HeapOptions options_;
  std::uint64_t usable_ = 0;
};

}  // namespace fathom::memory
