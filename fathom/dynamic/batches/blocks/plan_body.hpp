// The phases of a batch whose changes are sorted that may find that it does not fit: decide, locate
// and plan.
#pragma once

#include "fathom/dynamic/batches/blocks/place_body.hpp"

namespace fathom::dynamic::gpu::blocks {

/// Contiguous lists are searched by a thread per change; others by a group for each.
template <Block B>
FATHOM_BLOCK_HD void locate_changes(const B& block, const LocateChange& locate,
                                    std::uint32_t changes) {
  if (!locate.lists.linked()) {
    for_each_item(block, changes, [&](std::size_t i) { locate(OneLane{}, i); });
    return;
  }
  deal_lists(
      block, changes,
      [&](std::size_t i) { return locate.lists.list(locate.change[i].source).size; },
      [&](const auto& group, std::size_t i) { locate(group, i); });
}

template <Block B>
FATHOM_BLOCK_HD void locate_by_warps(const B& block, const LocateChange& locate,
                                     std::uint32_t changes) {
  for (std::size_t i = thread_index(block) / kWarpLanes; i < changes;
       i += thread_count(block) / kWarpLanes)
    locate(block.ordered_warp(), i);
}

/// A hub's linked pages are shared by the warps of a block: they follow the links together, and
/// look for the changes of as many pages at a time.
template <Block B>
FATHOM_BLOCK_HD void locate_in_lists(const B& block, const LocateInList& locate,
                                     const SideTotals* totals) {
  constexpr std::uint32_t kHubPages = 32;
  const DynamicListsRef& lists = locate.lists;
  const auto list = [&](std::size_t i) { return lists.list(locate.touched[i].vertex); };
  const auto work = [&](std::size_t i) { return work_of(locate.touched[i], list(i).size); };
  if (!lists.linked() || lists.layout.sorted)
    return deal_lists(block, totals->touched, work,
                      [&](const auto& group, std::size_t i) { locate(group, i); });
  deal_lists_and_hubs(
      block, totals->touched, work,
      [&](std::size_t i) { return lists.pages_for(list(i).capacity) > kHubPages; },
      [&](const auto& group, std::size_t i, const PageShare& share) { locate(group, i, share); });
}

/// Lists with many changes are left to whole warps.
template <Block B>
FATHOM_BLOCK_HD void plan_lists(const B& block, const PlanList& plan, const SideTotals* totals) {
  constexpr std::uint32_t kFew = 16;
  const auto warp = block.warp();
  const std::uint32_t n = totals->touched;
  for_warp_tiles(block, n, [&](std::size_t base, std::uint32_t lane) {
    const std::size_t i = base + lane;
    const std::uint32_t changes = i < n ? plan.touched[i].last - plan.touched[i].first : 0;
    if (changes != 0 && changes <= kFew) plan(OneLane{}, i);
    warp.sync();
    for (std::uint32_t rest = warp.ballot(changes > kFew); rest != 0; rest &= rest - 1)
      plan(block.ordered_warp(), base + first_lane(rest));
    warp.sync();
  });
}

template <Block B>
FATHOM_BLOCK_HD void place_pages(const B& block, const Side& side, Totals* totals) {
  Placed sums;
  for_tiles(block, side.totals->touched, [&](std::size_t i, bool mine) {
    TouchedList t;
    if (mine) t = side.touched[i];
    place(block, side, totals, t, i, sums);
    if (mine && t.changes) side.touched[i] = t;
  });
  sums.add_to(block, *side.totals);
}

template <Block B>
FATHOM_BLOCK_HD void touch_all(const B& block, const Side& side, const EdgeId* offset,
                               VertexId first) {
  for_each_item(block, side.changes, [&](std::size_t i) {
    const EdgeId degree = offset[i + 1] - offset[i];
    if (degree > side.lists.layout.most_edges()) AtomicRef(side.totals->too_long).store(1u);
    TouchedList t;
    t.vertex = first + static_cast<VertexId>(i);
    t.size = t.room = static_cast<std::uint32_t>(degree);
    t.changes = true;
    t.moves = true;
    t.fresh = side.lists.pages_for(t.size);
    side.touched[i] = t;
  });
  if (thread_index(block) == 0) side.totals->touched = side.changes;
}

template <Block B>
FATHOM_BLOCK_HD void add_up_changes(const B& block, const Change* change, std::uint32_t n,
                                    bool directed, ChangeCounts* counts) {
  ChangeCounts mine;
  for_each_item(block, n, [&](std::size_t i) { mine.add(change[i], directed); });
  add_counts(block, mine, counts);
}

}  // namespace fathom::dynamic::gpu::blocks
