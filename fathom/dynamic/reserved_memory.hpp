// An address range that is reserved once and counted against a budget as it fills: what lies in it
// never moves, so that views stay valid while a graph grows.
#pragma once

#include <cstddef>
#include <memory>

#include "fathom/core/memory_pool.hpp"

namespace fathom::dynamic {

/// Zeroed memory. Movable, not copyable.
///
/// Invariant: counted() <= limit(), and counted() bytes of the pool are this range's.
class FATHOM_API ReservedMemory {
 public:
  ReservedMemory() = default;
  /// Reserves `limit` bytes of addresses; none of them counts yet.
  /// @throws Error(DoesNotFit) when the system refuses.
  ReservedMemory(std::size_t limit, std::shared_ptr<MemoryPool> pool);
  ReservedMemory(ReservedMemory&& other) noexcept { swap(other); }
  ReservedMemory& operator=(ReservedMemory&& other) noexcept {
    ReservedMemory(std::move(other)).swap(*this);
    return *this;
  }
  ~ReservedMemory();

  std::byte* data() const { return data_; }
  std::size_t limit() const { return limit_; }
  std::size_t counted() const { return counted_; }

  /// Has at least `bytes` count, an eighth more than that where the budget allows.
  /// @throws Error(DoesNotFit) beyond limit() or the pool's; nothing has changed then.
  void grow_to(std::size_t bytes);

  void swap(ReservedMemory& other) noexcept;

 private:
  std::shared_ptr<MemoryPool> pool_;
  std::byte* data_ = nullptr;
  std::size_t limit_ = 0, counted_ = 0;
};

/// An array that grows in place. Elements are trivially copyable; new ones are zero.
template <class T>
class ReservedArray {
 public:
  ReservedArray() = default;
  ReservedArray(std::size_t most, std::shared_ptr<MemoryPool> pool)
      : memory_(most * sizeof(T), std::move(pool)) {}

  T* data() const { return reinterpret_cast<T*>(memory_.data()); }
  T& operator[](std::size_t i) const { return data()[i]; }
  std::size_t bytes() const { return memory_.counted(); }
  /// @throws Error(DoesNotFit); nothing has changed then.
  void grow_to(std::size_t size) { memory_.grow_to(size * sizeof(T)); }

 private:
  ReservedMemory memory_;
};

}  // namespace fathom::dynamic
