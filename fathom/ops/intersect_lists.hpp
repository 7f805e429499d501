// Common targets of two ascending lists, by a lane group: merging, searching or looking up in a
// bitmap, whichever the lengths favour (the dynamic algorithm selection of the talk "Fast GPU code
// for graphs").
#pragma once

#include "fathom/core/lanes.hpp"
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

/// The lanes hold a block of each list, compare all pairs, and move on in the list whose block ends
/// first: every entry is read once, in whole lines. Collective.
template <LaneGroup G, class A, class B, class Found>
FATHOM_HD std::uint64_t merge_common(const G& g, const A& a, const B& b, const Found& found) {
  const std::uint32_t lanes = g.size();
  std::uint64_t common = 0;
  std::uint32_t i = 0, j = 0;
  while (i < a.size && j < b.size) {
    const std::uint32_t rest_a = a.size - i < lanes ? a.size - i : lanes;
    const std::uint32_t rest_b = b.size - j < lanes ? b.size - j : lanes;
    const VertexId mine = g.rank() < rest_a ? a.target(i + g.rank()) : kNoVertex;
    const VertexId other = g.rank() < rest_b ? b.target(j + g.rank()) : kNoVertex;
    bool match = false;
    for (std::uint32_t k = 0; k < rest_b; ++k) match = shuffle(g, other, k) == mine || match;
    if (match) {
      found(mine);
      ++common;
    }
    const VertexId last_a = shuffle(g, mine, rest_a - 1), last_b = shuffle(g, other, rest_b - 1);
    if (last_a <= last_b) i += lanes;
    if (last_b <= last_a) j += lanes;
  }
  return common;
}

/// Entries of `b` whose bit is set.
template <LaneGroup G, class B, class Found>
FATHOM_HD std::uint64_t marked_common(const G& g, const std::uint32_t* marks, const B& b,
                                      const Found& found) {
  std::uint64_t common = 0;
  for (std::uint32_t j = g.rank(); j < b.size; j += g.size()) {
    const VertexId w = b.target(j);
    if ((marks[w >> 5] >> (w & 31) & 1) == 0) continue;
    found(w);
    ++common;
  }
  return common;
}

// A step of a search waits for memory; a merged entry costs about as much as this many steps.
inline constexpr std::uint32_t kSearchStepsPerEntry = 2;

/// Whether searching the shorter list's entries in the longer one beats merging them.
FATHOM_HD bool search_pays(std::uint32_t shorter, std::uint32_t longer) {
  std::uint32_t steps = 1;
  while (longer >> steps != 0) ++steps;
  return std::uint64_t{shorter} * steps < std::uint64_t{kSearchStepsPerEntry} * (shorter + longer);
}

/// Common targets of two lists, by the better of merging and searching. Collective; returns what
/// this lane found.
template <LaneGroup G, class S, class Found>
FATHOM_HD std::uint64_t common_targets(const G& g, const S& a, const S& b, const Found& found) {
  const S& shorter = a.size < b.size ? a : b;
  const S& longer = a.size < b.size ? b : a;
  if (search_pays(shorter.size, longer.size)) return search_common(g, shorter, longer, found);
  return merge_common(g, shorter, longer, found);
}

}  // namespace fathom
