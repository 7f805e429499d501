// Device memory of a size that is not known beforehand: addresses are reserved once, memory is
// mapped as it is needed and counts against the device's pool. Nothing ever moves.
#pragma once

#include <memory>

#include "fathom/exec/cuda/gpu.hpp"
#include "fathom/memory/cuda/address_range.hpp"

namespace fathom::dynamic::gpu {

/// Invariant: mapped() bytes of the pool are this memory's.
class MappedMemory {
 public:
  /// @throws Error(DoesNotFit) when so many addresses cannot be had.
  MappedMemory(const cuda::Gpu& gpu, std::size_t limit);
  ~MappedMemory();
  MappedMemory(const MappedMemory&) = delete;
  MappedMemory& operator=(const MappedMemory&) = delete;

  std::byte* data() const { return range_.base(); }
  std::size_t mapped() const { return mapped_; }
  /// Bytes that may be used now: what is mapped, up to the limit.
  std::size_t usable() const { return mapped_ < limit_ ? mapped_ : limit_; }

  /// Has at least `bytes` usable, an eighth more where the budget allows; new ones are zero. Waits
  /// for the device when it maps. @throws Error(DoesNotFit); nothing has changed then.
  void grow_to(std::size_t bytes);

 private:
  void map(std::size_t end);

  const cuda::Gpu& gpu_;
  std::shared_ptr<MemoryPool> pool_;
  std::size_t limit_, mapped_ = 0;
  memory::AddressRange range_;
};

}  // namespace fathom::dynamic::gpu
