// The live front of power-of-two pages: any lane or thread takes a page, or gives one back, at any
// time and without a lock. What it has in common for all is here; where free pages are kept is up
// to who uses it (PoolRef, LiveArena).
#pragma once

#include "fathom/core/atomic.hpp"
#include "fathom/dynamic/pages/page_split.hpp"

namespace fathom::dynamic {

/// A stack of free pages of one size.
///
/// Invariants: `head` is {tag, first free page, kNoPage: none}; the first word of a free page is
/// the next one; the tag changes with every pop and push, so that a page that went and came back
/// meanwhile is noticed.
struct PageStack {
  std::uint32_t* region;
  std::uint64_t* head;

  FATHOM_HD std::uint32_t pop() const {
    const AtomicRef at(*head);
    while (true) {
      std::uint64_t old = at.load(Order::Acquire);  // whose page has its link
      const auto page = static_cast<std::uint32_t>(old);
      if (page == kNoPage) return kNoPage;
      // Anything, if somebody else takes the page meanwhile: the tag tells.
      const std::uint32_t next = AtomicRef(link(page)).load();
      if (at.compare_exchange(old, head_of(old, next))) return page;
    }
  }
  FATHOM_HD void push(std::uint32_t page) const {
    const AtomicRef at(*head);
    std::uint64_t old = at.load();
    do {
      AtomicRef(link(page)).store(static_cast<std::uint32_t>(old));
    } while (!at.compare_exchange(old, head_of(old, page)));
  }

 private:
  FATHOM_HD static std::uint64_t head_of(std::uint64_t old, std::uint32_t page) {
    return ((old >> 32) + 1) << 32 | page;
  }
  FATHOM_HD std::uint32_t& link(std::uint32_t page) const {
    return region[std::size_t{page} * (kDynamicUnit / 4)];
  }
};

// Where free pages are, `free` says:
//
//   pop(k)              takes a free page of 2^k units; kNoPage: there is none
//   push(k, page)       has one back
//   advance(units)      takes one from the border, by advance_border()

/// Moves a border behind which all is free, for a page of so many units. What it skips for that
/// becomes smaller pages. kNoPage: it would pass `limit`.
template <class Free>
FATHOM_HD std::uint32_t advance_border(const Free& free, std::uint64_t& border, std::uint64_t limit,
                                       std::uint64_t units) {
  const AtomicRef at(border);
  std::uint64_t old = at.load(), first;
  do {
    first = page_start(old, units);
    if (first + units > limit) return kNoPage;
  } while (!at.compare_exchange(old, first + units));
  while (old < first) {
    const int k = largest_page(old, first);
    free.push(k, static_cast<std::uint32_t>(old));
    old += std::uint64_t{1} << k;
  }
  return static_cast<std::uint32_t>(first);
}

/// A page of 2^k units: a free one, a new one behind the border, or the beginning of a larger free
/// one, in this order. kNoPage: there is none.
template <class Free>
FATHOM_HD std::uint32_t take_page(const Free& free, int k) {
  std::uint32_t page = free.pop(k);
  if (page == kNoPage) page = free.advance(std::uint64_t{1} << k);
  for (int larger = k + 1; page == kNoPage && larger < kPageSizes; ++larger) {
    page = free.pop(larger);
    if (page == kNoPage) continue;
    for (int half = larger - 1; half >= k; --half) free.push(half, other_half(page, half));
  }
  return page;
}

}  // namespace fathom::dynamic
