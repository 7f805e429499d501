// Memory of a size that is not known beforehand, for a device: addresses are reserved once, memory
// is mapped as it is needed and counts against the pool of the device, or of the host, whose memory
// kernels reach over the link. Nothing ever moves.
#pragma once

#include <memory>

#include "fathom/exec/cuda/gpu.hpp"
#include "fathom/memory/cuda/address_range.hpp"

namespace fathom::dynamic::gpu {

/// Where memory comes from once the device has no more.
struct HostShare {
  std::shared_ptr<MemoryPool> pool = nullptr;  // null: from nowhere
  std::size_t kept = 0;                        // of the device's budget, for others
};

/// Invariants: device_bytes() of the device's pool and host_bytes() of the host's are this
/// memory's; what map_behind() or grow_from_end() mapped lies behind what grow_to() may use. One
/// memory has one of these two.
class MappedMemory {
 public:
  /// Of `addresses` bytes (0: `limit`), of which the first `limit` may be used by grow_to(); new
  /// bytes are `byte`.
  /// @throws Error(DoesNotFit) when so many addresses cannot be had.
  MappedMemory(const cuda::Gpu& gpu, std::size_t limit, std::size_t addresses = 0,
               HostShare host = {}, int byte = 0);
  ~MappedMemory();
  MappedMemory(const MappedMemory&) = delete;
  MappedMemory& operator=(const MappedMemory&) = delete;

  std::byte* data() const { return range_.base(); }
  std::size_t addresses() const { return range_.bytes(); }
  /// What is mapped at a time, and what the addresses are a multiple of.
  std::size_t step() const { return range_.granularity(); }
  std::size_t device_bytes() const { return mapped_ + behind_ - host_bytes_; }
  std::size_t host_bytes() const { return host_bytes_; }
  /// Whether it may have host memory.
  bool has_host() const { return host_.pool != nullptr; }
  /// From now on so much of the device's budget is for others, as long as the host has memory.
  void keep(std::size_t bytes) { host_.kept = host_.pool ? bytes : 0; }
  /// Bytes that may be used now: what is mapped, up to the limit.
  std::size_t usable() const { return mapped_ < limit_ ? mapped_ : limit_; }
  /// Where the memory that grow_from_end() has mapped begins, which goes on to the limit.
  std::size_t far_begin() const { return far_begin_ < limit_ ? far_begin_ : limit_; }
  /// What the device has left for this memory.
  std::size_t device_room() const;

  /// Has at least `bytes` usable, an eighth more where the budget allows; new ones are `byte`. They
  /// are the device's as long as there is room. Waits for the device when it maps.
  /// @throws Error(DoesNotFit); nothing has changed then.
  void grow_to(std::size_t bytes);

  /// grow_to() ends at `limit` from now on, which is at least usable().
  void limit_to(std::size_t limit) { limit_ = limit; }
  /// Maps [begin, end), multiples of step(); zero afterwards. Waits for the device.
  /// @throws Error(DoesNotFit); nothing has changed then.
  void map_behind(std::size_t begin, std::size_t end) {
    map_anywhere(begin, end);
    behind_ += end - begin;
  }
  /// Has at least `more` bytes of host memory below far_begin(), which moves there; zero.
  /// @throws Error(DoesNotFit); nothing has changed then.
  void grow_from_end(std::size_t more);

 private:
  std::size_t whole(std::size_t bytes) const { return (bytes + step() - 1) / step() * step(); }
  [[noreturn]] void refuse(std::size_t bytes) const;
  /// How much of so many bytes, multiples of step(), has to be the host's.
  std::size_t host_room_for(std::size_t bytes) const;
  /// The device's as far as it has room.
  void map_anywhere(std::size_t begin, std::size_t end);
  /// The last `of_host` bytes are the host's.
  void map(std::size_t begin, std::size_t end, std::size_t of_host);

  const cuda::Gpu& gpu_;
  std::shared_ptr<MemoryPool> pool_;
  HostShare host_;
  std::size_t limit_, mapped_ = 0, behind_ = 0, host_bytes_ = 0;
  int byte_;
  memory::AddressRange range_;
  std::size_t far_begin_;
};

}  // namespace fathom::dynamic::gpu
