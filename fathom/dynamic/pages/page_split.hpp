// How power-of-two pages are cut, whoever hands them out: the arithmetic that two fronts share, one
// page at a time beside others (live_splitter.hpp) and many pages of a batch at once
// (bulk_pool.hpp). It knows nothing of where free pages are kept, and is the same on host threads
// and in kernels.
#pragma once

#include "fathom/dynamic/pages/page_store.hpp"

namespace fathom::dynamic {

inline constexpr int kPageSizes = 32;  // 16 B to 32 GiB

/// Pages begin at a multiple of their size up to a line of 2^3 units, 128 bytes, so that none
/// straddles lines that it need not.
inline constexpr int kLineClass = 3;

/// What a page of so many units (or bytes, with a line of so many) begins at a multiple of.
FATHOM_HD std::uint64_t page_alignment(std::uint64_t size,
                                       std::uint64_t line = std::uint64_t{1} << kLineClass) {
  return size < line ? size : line;
}

/// The first unit from `border` on where a page of so many units may begin.
FATHOM_HD std::uint64_t page_start(std::uint64_t border, std::uint64_t units) {
  const std::uint64_t align = page_alignment(units);
  return (border + align - 1) / align * align;
}

/// The largest page that may begin at unit `first` and ends at `last` or before: of 2^k units.
FATHOM_HD int largest_page(std::uint64_t first, std::uint64_t last) {
  int k = 0;
  while ((k >= kLineClass || (first >> k & 1) == 0) && first + (std::uint64_t{2} << k) <= last) ++k;
  return k;
}

/// Units [first, last) as pages, each as large as the place where it begins allows: visit(k, page)
/// for each of 2^k units, ascending. Makes fewer than 8 units out of what a border skips, or pages
/// of any size out of free ones that lie side by side.
template <class Visit>
FATHOM_HD void pages_between(std::uint64_t first, std::uint64_t last, const Visit& visit) {
  while (first < last) {
    const int k = largest_page(first, last);
    visit(k, static_cast<std::uint32_t>(first));
    first += std::uint64_t{1} << k;
  }
}

/// A larger page is halved until its beginning has 2^k units. The other half of each step.
FATHOM_HD std::uint32_t other_half(std::uint32_t page, int k) {
  return page + (1u << k);
}

/// A page of 2^larger units is cut, and `used` of its units are taken from its beginning on, at
/// least one: visit(k, page) for each page of 2^k units that is left, ascending. Where those that
/// are used are one page, these are its other halves.
template <class Visit>
FATHOM_HD void rest_of_page(std::uint32_t page, int larger, std::uint32_t used,
                            const Visit& visit) {
  const std::uint32_t end = 1u << larger;
  // Offsets within the page: each piece is as large as the lowest bit of its own, which then goes.
  for (int k = 0; used < end; used += 1u << k) {
    while ((used >> k & 1) == 0) ++k;
    visit(k, page + used);
  }
}

}  // namespace fathom::dynamic
