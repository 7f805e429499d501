// The bulk front of power-of-two pages, the pool of a graph on a GPU: as many pages as a batch
// needs are divided at once, so that no two threads ever contend for one.
//
// Free pages of each size lie in an array. A phase counts what is wanted of each size; one thread
// divides it into parts (free pages of the size, fresh memory behind the border, larger pages cut
// up); then every thread finds the pages of its own numbers by itself. What is given back is
// appended, in another phase. Nothing changes before settle(), so that a batch that is refused has
// taken nothing.
//
// There may be memory that is farther away, at the end of the region (a GPU's pages in host
// memory):
//
//   | pages -> border |        free        | far <- pages |
#pragma once

#include "fathom/core/atomic.hpp"
#include "fathom/dynamic/pages/page_split.hpp"

namespace fathom::dynamic {

/// Invariants: units below `border` and from `far` on are free pages, handed out, or lost; free[k]
/// pages of 2^k units are free.
struct BulkPoolState {
  std::uint64_t border = 0;  // in units
  std::uint64_t far = 0;     // at first the end of the region
  std::uint32_t free[kPageSizes] = {};
};

/// How the pages of a phase are divided.
struct BulkPlan {
  static constexpr std::uint32_t kBorder = kPageSizes;  // either of them
  static constexpr int kMostParts = kPageSizes + 3;
  // A page that is cut leaves less than one page per smaller size; a border less than 8 units.
  static constexpr std::uint32_t kMostLeft = kPageSizes * kPageSizes + 16;

  struct Part {
    std::uint32_t end;   // of the numbers that it serves; it begins where the one before ends
    std::uint32_t from;  // a size, or kBorder
    std::uint64_t at;    // behind the first free page that is taken, or the first unit
  };
  Part part[kPageSizes][kMostParts];
  int parts[kPageSizes];
  BulkPoolState after;
  std::uint32_t left;  // pieces of pages that were cut
  std::uint32_t left_page[kMostLeft];
  std::uint32_t left_class[kMostLeft];
  std::uint64_t missing;  // bytes; not 0: nothing may be taken
};

/// Trivially copyable; `page[k]` has room for all free pages of 2^k units.
struct BulkPoolRef {
  std::uint32_t* region;
  BulkPoolState* state;
  std::uint64_t limit;  // units that the border may reach
  std::uint32_t* page[kPageSizes];
  int least = 0;                // pages of fewer than 2^least units are somebody else's
  std::uint64_t far_limit = 0;  // units that the far border may come down to
  int far_from = kPageSizes;    // pages of at least 2^far_from units are taken there first

  /// One thread: divides wanted[k] pages of 2^k units for every k. Changes nothing but `plan`.
  FATHOM_HD void divide(const std::uint32_t* wanted, BulkPlan& plan) const {
    begin(plan);
    std::uint32_t need[kPageSizes];
    for (int k = 0; k < kPageSizes; ++k) need[k] = take_free(k, wanted[k], plan);
    // From the largest on, so that all but the first find the border where they may begin.
    for (int k = kPageSizes - 1; k >= 0; --k)
      if (need[k] != 0) take_others(k, need[k], plan);
  }

  // The parts of divide(), for those who share it out.
  FATHOM_HD void begin(BulkPlan& plan) const {
    plan.after.border = state->border;
    plan.after.far = state->far;
    plan.left = 0;
    plan.missing = 0;
  }
  /// Takes free pages of 2^k units, for each k by one thread. Returns how many more are needed.
  FATHOM_HD std::uint32_t take_free(int k, std::uint32_t wanted, BulkPlan& plan) const {
    plan.parts[k] = 0;
    plan.after.free[k] = state->free[k];
    return wanted == 0 || k < least ? 0 : wanted - from_free(k, wanted, plan);
  }
  /// Takes what is needed beyond them; one k after the other, from the largest on.
  FATHOM_HD void take_others(int k, std::uint32_t need, BulkPlan& plan) const {
    if (k >= far_from) need -= from_far(k, need, plan);
    if (need != 0) need -= from_border(k, need, plan);
    if (need != 0) need -= from_far(k, need, plan);
    for (int larger = k + 1; need != 0 && larger < kPageSizes; ++larger)
      need -= from_larger(k, larger, need, plan);
    // Units that the border may have to skip come on top.
    if (need != 0) plan.missing += ((std::uint64_t{need} << k) + 8) * kDynamicUnit;
  }

  /// Page number i of those of 2^k units that are wanted; until settle().
  FATHOM_HD std::uint32_t page_of_number(const BulkPlan& plan, int k, std::uint32_t i) const {
    std::uint32_t first = 0;
    int p = 0;
    while (i >= plan.part[k][p].end) first = plan.part[k][p++].end;
    const BulkPlan::Part part = plan.part[k][p];
    const std::uint32_t number = i - first;
    if (part.from == BulkPlan::kBorder)
      return static_cast<std::uint32_t>(part.at + (std::uint64_t{number} << k));
    const std::uint32_t shift = part.from - static_cast<std::uint32_t>(k);
    const std::uint32_t of = page[part.from][part.at - 1 - (number >> shift)];
    return of + ((number & ((1u << shift) - 1)) << k);
  }

  /// One thread, after everyone has found its pages.
  FATHOM_HD void settle(const BulkPlan& plan) const {
    *state = plan.after;
    for (std::uint32_t i = 0; i < plan.left; ++i) {
      const std::uint32_t k = plan.left_class[i];
      page[k][state->free[k]++] = plan.left_page[i];
    }
  }

  /// Takes a page back, beside other threads that do.
  FATHOM_HD void free(std::uint32_t p, std::uint64_t bytes) const {
    const int k = page_size_class(bytes);
    page[k][AtomicRef(state->free[k]).fetch_add(1u)] = p;
  }

 private:
  FATHOM_HD static void add_part(BulkPlan& plan, int k, std::uint32_t n, std::uint32_t from,
                                 std::uint64_t at) {
    const int p = plan.parts[k]++;
    plan.part[k][p] = {(p == 0 ? 0 : plan.part[k][p - 1].end) + n, from, at};
  }
  FATHOM_HD static void leave(BulkPlan& plan, int k, std::uint32_t page) {
    plan.left_page[plan.left] = page;
    plan.left_class[plan.left++] = static_cast<std::uint32_t>(k);
  }
  FATHOM_HD std::uint32_t from_free(int k, std::uint32_t need, BulkPlan& plan) const {
    std::uint32_t& free = plan.after.free[k];
    const std::uint32_t n = need < free ? need : free;
    if (n == 0) return 0;
    add_part(plan, k, n, static_cast<std::uint32_t>(k), free);
    free -= n;
    return n;
  }
  FATHOM_HD std::uint32_t from_border(int k, std::uint32_t need, BulkPlan& plan) const {
    const std::uint64_t border = plan.after.border;
    const std::uint64_t first = page_start(border, std::uint64_t{1} << k);
    const std::uint64_t room = first < limit ? (limit - first) >> k : 0;
    const std::uint32_t n = room < need ? static_cast<std::uint32_t>(room) : need;
    if (n == 0) return 0;
    pages_between(border, first, [&](int of, std::uint32_t at) { leave(plan, of, at); });
    add_part(plan, k, n, BulkPlan::kBorder, first);
    plan.after.border = first + (std::uint64_t{n} << k);
    return n;
  }
  FATHOM_HD std::uint32_t from_far(int k, std::uint32_t need, BulkPlan& plan) const {
    const std::uint64_t far = plan.after.far;
    const std::uint64_t align = page_alignment(std::uint64_t{1} << k);
    const std::uint64_t last = far / align * align;
    const std::uint64_t room = last > far_limit ? (last - far_limit) >> k : 0;
    const std::uint32_t n = room < need ? static_cast<std::uint32_t>(room) : need;
    if (n == 0) return 0;
    pages_between(last, far, [&](int of, std::uint32_t at) { leave(plan, of, at); });
    plan.after.far = last - (std::uint64_t{n} << k);
    add_part(plan, k, n, BulkPlan::kBorder, plan.after.far);
    return n;
  }
  FATHOM_HD std::uint32_t from_larger(int k, int larger, std::uint32_t need, BulkPlan& plan) const {
    std::uint32_t& free = plan.after.free[larger];
    if (free == 0) return 0;
    const int shift = larger - k;
    const std::uint64_t each = std::uint64_t{1} << shift;
    const std::uint64_t wanted = (need + each - 1) >> shift;
    const std::uint32_t cut = wanted < free ? static_cast<std::uint32_t>(wanted) : free;
    const std::uint64_t gained = cut * each;
    const std::uint32_t n = gained < need ? static_cast<std::uint32_t>(gained) : need;
    add_part(plan, k, n, static_cast<std::uint32_t>(larger), free);
    free -= cut;
    if (n < gained)  // of the last one
      rest_of_page(page[larger][free], larger, static_cast<std::uint32_t>(each - (gained - n)) << k,
                   [&](int of, std::uint32_t at) { leave(plan, of, at); });
    return n;
  }
};

}  // namespace fathom::dynamic
