// Device memory of a size that is not known beforehand: addresses are reserved once, memory is
// mapped as it is needed and counts against the device's pool. Nothing ever moves.
#pragma once

#include <memory>

#include "fathom/exec/cuda/gpu.hpp"
#include "fathom/memory/cuda/address_range.hpp"

namespace fathom::dynamic::gpu {

/// Invariants: mapped() bytes of the pool are this memory's; what map_behind() mapped lies behind
/// the limit of grow_to().
class MappedMemory {
 public:
  /// Of `addresses` bytes (0: `limit`), of which the first `limit` may be used by grow_to().
  /// @throws Error(DoesNotFit) when so many addresses cannot be had.
  MappedMemory(const cuda::Gpu& gpu, std::size_t limit, std::size_t addresses = 0);
  ~MappedMemory();
  MappedMemory(const MappedMemory&) = delete;
  MappedMemory& operator=(const MappedMemory&) = delete;

  std::byte* data() const { return range_.base(); }
  std::size_t addresses() const { return range_.bytes(); }
  /// What is mapped at a time, and what the addresses are a multiple of.
  std::size_t step() const { return range_.granularity(); }
  std::size_t mapped() const { return mapped_ + behind_; }
  /// Bytes that may be used now: what is mapped, up to the limit.
  std::size_t usable() const { return mapped_ < limit_ ? mapped_ : limit_; }

  /// Has at least `bytes` usable, an eighth more where the budget allows; new ones are zero. Waits
  /// for the device when it maps. @throws Error(DoesNotFit); nothing has changed then.
  void grow_to(std::size_t bytes);

  /// grow_to() ends at `limit` from now on, which is at least usable().
  void limit_to(std::size_t limit) { limit_ = limit; }
  /// Maps [begin, end), multiples of step(); zero afterwards. Waits for the device.
  /// @throws Error(DoesNotFit); nothing has changed then.
  void map_behind(std::size_t begin, std::size_t end) {
    map(begin, end);
    behind_ += end - begin;
  }

 private:
  void map(std::size_t begin, std::size_t end);

  const cuda::Gpu& gpu_;
  std::shared_ptr<MemoryPool> pool_;
  std::size_t limit_, mapped_ = 0, behind_ = 0;
  memory::AddressRange range_;
};

}  // namespace fathom::dynamic::gpu
