// Whether a page of edges is worth a copy, or its active lists are better read in place over the
// link: whichever takes less time by what was measured of the link.
#pragma once

#include <algorithm>

#include "fathom/exec/link_profile.hpp"
#include "fathom/residency/paged/page_lines.hpp"

namespace fathom {

class PageChoice {
 public:
  /// A page copied into an empty frame is likely to be read again.
  static constexpr double kUsesOfKept = 2;
  /// Lines that a pull with early exit is expected to read of a list.
  static constexpr std::uint32_t kEarlyLines = 2;

  /// Pages of `page_bytes` in `region_bytes` of host memory that was obtained in this way. `link`
  /// outlives the choice.
  PageChoice(const LinkProfile& link, ZeroCopyWay way, std::uint64_t region_bytes,
             std::size_t page_bytes)
      : link_(link),
        way_(way),
        region_bytes_(region_bytes),
        lines_(static_cast<std::uint32_t>(std::max<std::size_t>(page_bytes / kPageLine, 1))) {
    // Neighbouring pages go in one copy: what a copy costs beside its bytes is shared.
    constexpr std::uint64_t kPagesPerCopy = 16;
    copy_ = copy_cost(link, page_bytes * kPagesPerCopy) / kPagesPerCopy;
  }

  /// Lines of 128 bytes in a page.
  std::uint32_t lines() const { return lines_; }
  /// Seconds that a kernel takes to read so many of a page's lines in place, in ascending order.
  /// Lists that share a line are counted with it twice: at most the whole page is read.
  double read_seconds(std::uint32_t lines) const {
    if (lines == 0) return 0;
    const std::uint32_t read = std::min(lines, lines_);
    const double rate = sweep_ceiling(link_, way_, region_bytes_, lines_ / read) * 1e9;
    return static_cast<double>(std::size_t{read} * kPageLine) / rate;
  }
  /// Seconds that copying the page takes.
  double copy_seconds() const { return copy_; }
  /// `uses`: supersteps that are expected to read the copy.
  bool copy(std::uint32_t lines, double uses = 1) const {
    return read_seconds(lines) * uses >= copy_;
  }

 private:
  const LinkProfile& link_;
  ZeroCopyWay way_;
  std::uint64_t region_bytes_;
  std::uint32_t lines_;
  double copy_ = 0;
};

}  // namespace fathom
