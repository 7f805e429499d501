// A range of device addresses, reserved once, to which physical memory is mapped piece by piece: of
// the device, or of the host, which kernels read and write over the link. The driver's functions
// are asked for at run time: nothing links libcuda.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <vector>

#include "fathom/core/platform.hpp"

namespace fathom::memory {

class FATHOM_API AddressRange {
 public:
  enum class Place : std::uint8_t { Device, Host };

  /// Reserves `bytes` (rounded up to the granularity) on the current device.
  /// @throws Error(Device), Error(DoesNotFit)
  explicit AddressRange(std::uint64_t bytes);
  ~AddressRange();
  AddressRange(AddressRange&& other) noexcept;
  AddressRange& operator=(AddressRange&& other) noexcept;

  std::byte* base() const { return reinterpret_cast<std::byte*>(address_); }
  std::uint64_t bytes() const { return bytes_; }
  std::uint64_t granularity() const { return granularity_; }

  /// Whether the driver maps memory of the host.
  bool reaches_host() const { return host_node_ >= 0; }

  /// Maps [begin, end), multiples of the granularity that are not mapped yet. Memory of the host is
  /// pinned, which takes .4 s per GB.
  /// @throws Error(DoesNotFit) when there is no more memory; nothing is mapped then
  void map(std::uint64_t begin, std::uint64_t end, Place place = Place::Device);
  /// Gives back what the last map() mapped. Nothing may use it any more.
  void unmap_last() noexcept;

 private:
  struct Piece {
    std::uint64_t begin, bytes;
    unsigned long long handle;
  };
  unsigned long long address_ = 0;
  std::uint64_t bytes_ = 0, granularity_ = 0;
  int device_ = 0, host_node_ = -1;  // the NUMA node that is closest to the device
  std::vector<Piece> pieces_;
};

}  // namespace fathom::memory
