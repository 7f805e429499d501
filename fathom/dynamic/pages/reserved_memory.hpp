// An address range that is reserved once and counted against a budget as it fills: what lies in it
// never moves, so that views stay valid while a graph grows.
#pragma once

#include <algorithm>
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
  /// Reserves `limit` bytes of addresses, or as many as the pool may have; none counts yet.
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
  /// What counted() could come to as things are: others use the pool too.
  std::size_t most() const {
    return counted_ + std::min(limit_ - counted_, pool_ ? pool_->available() : 0);
  }

  /// Has at least `bytes` count, an eighth more than that where the budget allows.
  /// @throws Error(DoesNotFit) beyond limit() or the pool's; nothing has changed then.
  void grow_to(std::size_t bytes);
  /// At most `bytes` count; what lies behind them is zero again.
  void shrink_to(std::size_t bytes) noexcept;
  /// The two halves of that, for who does not use the range from its beginning alone.
  void uncount_to(std::size_t bytes) noexcept;
  void clear(std::size_t first, std::size_t end) noexcept;

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
  void shrink_to_bytes(std::size_t bytes) noexcept { memory_.shrink_to(bytes); }

 private:
  ReservedMemory memory_;
};

}  // namespace fathom::dynamic
