// How the items of a batch are shared out among the threads of a grid: one each, a tile of the
// items at a time for all threads of a block, or, of lists, long ones to warps and the others to 8
// threads each.
#pragma once

#include "fathom/core/block.hpp"
#include "fathom/dynamic/batches/batch_functors.hpp"

namespace fathom::dynamic::gpu::blocks {

// Lists with up to so many entries and changes are left to 8 lanes, or to one.
inline constexpr std::uint32_t kTileMost = 64, kLaneMost = 24;

/// What a group has to look at for a list of so many entries.
FATHOM_HD std::uint32_t work_of(const TouchedList& t, std::uint32_t entries) {
  const std::uint32_t changes = t.last - t.first;
  return entries > changes ? entries : changes;
}

/// Has memory on its way that is read a little later: what one address waits for, others need not.
FATHOM_HD void prefetch([[maybe_unused]] const void* at) {
#if defined(__CUDA_ARCH__)
  asm volatile("prefetch.global.L1 [%0];" ::"l"(at));
#endif
}
/// The first entries of a short contiguous list, if it has a page.
FATHOM_HD void prefetch_page(const DynamicListsRef& lists, const DynamicList& list) {
  constexpr std::uint32_t kSectorWords = 8, kMostSectors = 4;
  if (!lists.layout.on_page(list.capacity)) return;
  const PageRef page = page_of(lists.region, lists.layout, list.page, list.capacity);
  const std::uint32_t words = list.size * page.step;
  for (std::uint32_t k = 0; k < kMostSectors && k * kSectorWords < words; ++k)
    prefetch(page.words + k * kSectorWords);
}

/// By all threads of a block.
template <Block B, class T>
FATHOM_BLOCK_HD void copy_words(const B& block, T* to, const T* from) {
  static_assert(sizeof(T) % 4 == 0);
  const auto* const in = reinterpret_cast<const std::uint32_t*>(from);
  auto* const out = reinterpret_cast<std::uint32_t*>(to);
  for (std::uint32_t i = block.rank(); i < sizeof(T) / 4; i += block.size()) out[i] = in[i];
}

/// body(i) for each i < n, by one thread.
template <Block B, class Body>
FATHOM_BLOCK_HD void for_each_item(const B& block, std::size_t n, const Body& body) {
  for (std::size_t i = thread_index(block); i < n; i += thread_count(block)) body(i);
}

/// Tiles of a block's threads over n items: body(i, i < n) by all threads of a block at a time.
template <Block B, class Body>
FATHOM_BLOCK_HD void for_tiles(const B& block, std::size_t n, const Body& body) {
  for (std::size_t tile = std::size_t{block.index()} * block.size(); tile < n;
       tile += thread_count(block)) {
    const std::size_t i = tile + block.rank();
    body(i, i < n);
  }
}

/// The same of the lanes of a warp: body(base, lane) by all of them, for items from `base` on.
template <Block B, class Body>
FATHOM_BLOCK_HD void for_warp_tiles(const B& block, std::size_t n, const Body& body) {
  const std::uint32_t lane = block.warp().rank();
  for (std::size_t base = thread_index(block) - lane; base < n; base += thread_count(block))
    body(base, lane);
}

/// The items below n of a warp, from `first` on as far apart as there are warps: to_warp(i) by all
/// of its lanes for those with much work, to_tile(i) by a tile for the others.
template <Block B, class Work, class ToWarp, class ToTile>
FATHOM_BLOCK_HD void deal_from(const B& block, std::size_t first, std::size_t n, const Work& work,
                               const ToWarp& to_warp, const ToTile& to_tile) {
  constexpr std::uint32_t kTiles = kWarpLanes / kTileLanes;
  const auto warp = block.warp();
  const std::uint32_t lane = warp.rank();
  const std::size_t warps = thread_count(block) / kWarpLanes;
  for (std::size_t base = first; base < n; base += kTiles * warps) {
    const std::size_t i = base + lane / kTileLanes * warps;
    const bool there = i < n;
    const bool longer = there && work(i) > kTileMost;
    for (std::uint32_t rest = warp.ballot(longer && lane % kTileLanes == 0); rest != 0;
         rest &= rest - 1)
      to_warp(base + first_lane(rest) / kTileLanes * warps);
    warp.sync();
    if (there && !longer) to_tile(i);
    warp.sync();
  }
}

/// body(group, i) for each i < n, by a group according to work(i). All threads of the grid call it.
///
/// Long lists that follow each other, as those of a batch with few sources do, go to different
/// warps.
template <Block B, class Work, class Body>
FATHOM_BLOCK_HD void deal_lists(const B& block, std::size_t n, const Work& work, const Body& body) {
  deal_from(
      block, thread_index(block) / kWarpLanes, n, work,
      [&](std::size_t i) { body(block.ordered_warp(), i); },
      [&](std::size_t i) { body(block.ordered_tile(), i); });
}

/// What the warps of a block have put aside.
struct SharedLists {
  static constexpr std::uint32_t kMost = 64;
  std::uint32_t count;
  std::uint32_t item[kMost];
};

/// The same, but that all warps of a block share a list for which is_hub(i) says so, once they have
/// done the others: body(group, i, share). Lists that follow each other go to different blocks.
template <Block B, class Work, class IsHub, class Body>
FATHOM_BLOCK_HD void deal_lists_and_hubs(const B& block, std::size_t n, const Work& work,
                                         const IsHub& is_hub, const Body& body) {
  SharedLists& hubs = block.template shared<SharedLists>();
  if (block.rank() == 0) hubs.count = 0;
  block.sync();
  const auto warp = block.warp();
  const std::uint32_t mine = block.rank() / kWarpLanes;
  const auto put_aside = [&](std::size_t i) {
    std::uint32_t at = 0;
    if (warp.rank() == 0) at = block.fetch_add(hubs.count, 1u);
    at = warp.shfl(at, 0);
    if (at < SharedLists::kMost && warp.rank() == 0) hubs.item[at] = static_cast<std::uint32_t>(i);
    return at < SharedLists::kMost;
  };
  deal_from(
      block, std::size_t{mine} * block.blocks() + block.index(), n, work,
      [&](std::size_t i) {
        if (!is_hub(i) || !put_aside(i)) body(block.ordered_warp(), i, PageShare{});
      },
      [&](std::size_t i) { body(block.ordered_tile(), i, PageShare{}); });
  block.sync();
  const std::uint32_t in_block = block.size() / kWarpLanes;
  const std::uint32_t count = hubs.count < SharedLists::kMost ? hubs.count : SharedLists::kMost;
  if (count == 0) return;
  const std::uint32_t first = mine % count;
  const PageShare share{mine / count, (in_block - first - 1) / count + 1};
  for (std::uint32_t k = first; k < count; k += in_block)
    body(block.ordered_warp(), hubs.item[k], share);
}

/// The same for lists most of which are short: those are left to one thread each, so that many are
/// under way at a time; nothing is done for work 0.
template <Block B, class Work, class Body>
FATHOM_BLOCK_HD void deal_short_lists(const B& block, std::size_t n, const Work& work,
                                      const Body& body) {
  const auto warp = block.warp();
  const std::uint32_t lane = warp.rank();
  const std::size_t warps = thread_count(block) / kWarpLanes;
  for (std::size_t base = thread_index(block) / kWarpLanes; base < n; base += kWarpLanes * warps) {
    const auto item = [&](std::uint32_t of) { return base + of * warps; };
    const std::uint32_t mine = item(lane) < n ? work(item(lane)) : 0;
    if (mine != 0 && mine <= kLaneMost) body(OneLane{}, item(lane));
    warp.sync();
    for (std::uint32_t rest = warp.ballot(mine > kTileMost); rest != 0; rest &= rest - 1)
      body(block.ordered_warp(), item(first_lane(rest)));
    warp.sync();
    // Each tile takes the next of the others.
    std::uint32_t rest = warp.ballot(mine > kLaneMost && mine <= kTileMost);
    while (rest != 0) {
      std::uint32_t left = rest;
      for (std::uint32_t k = 0; k < lane / kTileLanes; ++k) left &= left - 1;
      if (left != 0) body(block.ordered_tile(), item(first_lane(left)));
      warp.sync();
      for (std::uint32_t k = 0; k < kWarpLanes / kTileLanes; ++k) rest &= rest - 1;
    }
  }
}

}  // namespace fathom::dynamic::gpu::blocks
