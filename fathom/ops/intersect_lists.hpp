// Common targets of two ascending lists, by a lane group: searching the longer one, or looking it
// up in a table of the other (the dynamic algorithm selection of the talk "Fast GPU code for
// graphs").
#pragma once

#include "fathom/core/lanes.hpp"
#include "fathom/ops/target_table.hpp"
#include "fathom/residency/edge_view.hpp"

namespace fathom {

/// The first position in [low, high) whose target is at least v, or high.
template <class S>
FATHOM_HD std::uint32_t first_at_least(const S& s, VertexId v, std::uint32_t low,
                                       std::uint32_t high) {
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (s.target(middle) < v)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/// Each lane searches its entries of `a`, the shorter list, in `b`. found(w) is called by the lane
/// that found w. Returns how many this lane found.
template <LaneGroup G, class A, class B, class Found>
FATHOM_HD std::uint64_t search_common(const G& g, const A& a, const B& b, const Found& found) {
  std::uint64_t common = 0;
  for (std::uint32_t i = g.rank(); i < a.size; i += g.size()) {
    const VertexId w = a.target(i);
    const std::uint32_t at = first_at_least(b, w, 0, b.size);
    if (at == b.size || b.target(at) != w) continue;
    found(w);
    ++common;
  }
  return common;
}

/// Entries of `b` that the table holds. Entries are loaded while those before them are looked up.
template <LaneGroup G, class B, bool kCounts>
FATHOM_HD std::uint32_t table_common(const G& g, const TargetTable<kCounts>& table, const B& b) {
  std::uint32_t common = 0;
  std::uint32_t j = g.rank();
  VertexId next = j < b.size ? b.target(j) : kNoVertex;
  while (j < b.size) {
    const VertexId w = next;
    j += g.size();
    if (j < b.size) next = b.target(j);
    const std::uint32_t at = table.find(w);
    if (at == table.kAbsent) continue;
    table.hit(at);
    ++common;
  }
  return common;
}

// A list this many times as long as the other is searched: a step of the search waits for memory
// and costs as much as looking up about as many entries.
inline constexpr std::uint32_t kSearchFrom = 16;

}  // namespace fathom
