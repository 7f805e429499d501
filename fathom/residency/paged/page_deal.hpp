// Which device a page is dealt to: h(j) of GTS, section 4.1.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "fathom/core/platform.hpp"

namespace fathom {

/// Pages are dealt in runs of 2^run_shift neighbours, not one by one: neighbours on one device go
/// in one copy, and copies of 1 MiB reach 48 GB/s where those of 16 MiB reach 55.
struct PageDeal {
  std::uint32_t devices = 1;
  std::uint32_t run_shift = 0;

  FATHOM_HD std::uint32_t device_of(std::uint64_t page) const {
    return devices == 1 ? 0 : static_cast<std::uint32_t>((page >> run_shift) % devices);
  }

  /// Runs of up to 16 MiB, but 64 of them for each device: then no device has more than 1/64 more
  /// to do than another when all pages are wanted, and hot stretches of a graph are shared.
  static PageDeal of(std::size_t pages, std::size_t page_bytes, std::size_t devices) {
    constexpr std::size_t kRunBytes = std::size_t{16} << 20, kRuns = 64;
    PageDeal deal{static_cast<std::uint32_t>(devices), 0};
    const std::size_t most = std::min(kRunBytes / page_bytes, pages / (devices * kRuns));
    while (devices > 1 && std::size_t{2} << deal.run_shift <= most) ++deal.run_shift;
    return deal;
  }

  /// How many of the pages [0, pages) are dealt to a device.
  std::size_t count(std::uint32_t device, std::size_t pages) const {
    const std::size_t run = std::size_t{1} << run_shift, round = run * devices;
    const std::size_t rest = pages % round, before = device * run;
    return pages / round * run + (rest > before ? std::min(rest - before, run) : 0);
  }
};

}  // namespace fathom
