// Batches of few updates per list, planned without sorting them all: every list gets a chain of its
// updates, and one thread per list sorts those and plans it.
//
// The update-centric form of faimGraph (section 4.2.3 of Winter's thesis) finds the list of each
// update at once, but searches duplicates in the whole batch; here those of a list are together.
#pragma once

#include "fathom/dynamic/batches/blocks/place_body.hpp"

namespace fathom::dynamic::gpu::blocks {

/// Puts an update before the others of the list of `u`. All threads of a block call it.
template <Block B>
FATHOM_BLOCK_HD void chain(const B& block, const Side& side, const Chains& chains,
                           std::uint32_t entry, VertexId u, VertexId v, const EdgeUpdate& e,
                           bool mine) {
  std::uint32_t next = kEndOfChain + 1;
  if (mine) {
    next = block.exchange(chains.head[u], entry + 1);
    chains.node[entry] = {next, static_cast<std::uint32_t>(v), e.weight, e.deletion ? 1u : 0u};
  }
  const bool first = mine && next == kEndOfChain;
  const std::uint32_t at = number_among_all(block, first ? 1 : 0, side.totals->touched);
  if (first) side.vertex[at] = u;
}

template <Block B>
FATHOM_BLOCK_HD void chain_all(const B& block, const ChainedUpdates& in, const Side& out,
                               const Side& reverse, UpdateCheck* found) {
  const auto there = [&](VertexId v) {
    return v < in.vertices && (in.exists[v / 32] >> v % 32 & 1) != 0;
  };
  for_tiles(block, in.updates, [&](std::size_t i, bool mine) {
    EdgeUpdate e;
    if (mine) e = in[i];
    const auto at = static_cast<std::uint32_t>(in.first + i);
    const bool good = mine && there(e.source) && there(e.target);
    if (mine && !good) block.fetch_max(found->bad, ~static_cast<unsigned long long>(at));
    e.weight = weight_of(in.numbered, at, e);
    const VertexId u = e.source, v = e.target;
    if (in.mirrored) {
      chain(block, out, in.chains[0], 2 * at, u, v, e, good);
      chain(block, out, in.chains[0], 2 * at + 1, v, u, e, good && u != v);
    } else {
      chain(block, out, in.chains[0], at, u, v, e, good);
      if (in.sides == 2) chain(block, reverse, in.chains[1], at, v, u, e, good);
    }
  });
}

/// The totals of the next batch, by the first block of this one.
template <Block B>
FATHOM_BLOCK_HD void clear(const B& block, Totals* next) {
  static_assert(sizeof(Totals) % sizeof(std::uint32_t) == 0);
  if (block.index() != 0) return;
  auto* const word = reinterpret_cast<std::uint32_t*>(next);
  for (std::uint32_t i = block.rank(); i < sizeof(Totals) / sizeof(std::uint32_t);
       i += block.size())
    word[i] = 0;
}

FATHOM_HD Change change_of(const UpdateNode& e, VertexId source) {
  return {source, e.target, e.weight, e.deletes != 0 ? ChangeKind::Delete : ChangeKind::Insert};
}

/// Writes a chain as changes in their order. By insertion: few are longer than two.
FATHOM_HD void gather(const UpdateNode* node, std::uint32_t at, VertexId source, Change* change) {
  for (std::uint32_t n = 0; at != kEndOfChain; ++n) {
    const UpdateNode e = node[at - 1];
    Change c = change_of(e, source);
    c.position = at;  // until it is located
    std::uint32_t k = n;
    for (; k > 0; --k) {
      const Change& before = change[k - 1];
      if (before.target < c.target || (before.target == c.target && before.position < at)) break;
      change[k] = before;
    }
    change[k] = c;
    at = e.next;
  }
}

/// Decides, locates and plans the n changes of a list; they are sorted.
FATHOM_HD void plan_list(const Side& side, Change* change, std::uint32_t n, TouchedList& t,
                         DuplicatePolicy policy, bool directed, ChangeCounts& counts) {
  for (std::uint32_t k = 0; k < n; ++k) DecideEdge{change, n, policy}(k);
  const DynamicList mine = side.lists.list(t.vertex);
  const PageRef page = side.lists.page(t.vertex, mine);
  std::uint32_t from = 0;
  for (std::uint32_t k = 0; k < n; ++k) {
    from = locate(page, from, mine.size, change[k]);
    counts.add(change[k], directed);
  }
  t.first = 0;
  t.last = n;
  PlanList{side.lists, change, &t, &side.totals->too_long}(0);
}

/// Of contiguous lists. Leaves all chains empty, whatever is found.
template <Block B>
FATHOM_BLOCK_HD void plan_chains(const B& block, const Side& side, const Chains& chains,
                                 DuplicatePolicy policy, bool directed, bool count,
                                 Totals* totals) {
  const auto warp = block.warp();
  Placed sums;
  ChangeCounts counts;
  for_tiles(block, side.totals->touched, [&](std::size_t i, bool mine) {
    TouchedList t;
    std::uint32_t first = kEndOfChain, length = 0;
    if (mine) {
      t.vertex = side.vertex[i];
      first = chains.head[t.vertex];
      prefetch_page(side.lists, side.lists.list(t.vertex));
      chains.head[t.vertex] = kEndOfChain;
      for (std::uint32_t at = first; at != kEndOfChain && length <= kMostChained; ++length)
        at = chains.node[at - 1].next;
    }
    const bool fits = length <= kMostChained;
    if (!fits) AtomicRef(totals->unsuited).store(1u);
    // A single change has the place of its list; the others come behind all of those.
    std::uint32_t all = 0, base = 0;
    const std::uint32_t before = sum_before(warp, fits && length > 1 ? length : 0, all);
    if (warp.rank() == 0 && all != 0) base = AtomicRef(side.totals->collected).fetch_add(all);
    base = warp.shfl(base, 0);
    const std::uint32_t begin =
        length == 1 ? static_cast<std::uint32_t>(i) : side.changes + base + before;
    if (length == 1) {  // in registers
      Change one = change_of(chains.node[first - 1], t.vertex);
      plan_list(side, &one, 1, t, policy, directed, counts);
      side.change[begin] = one;
    } else if (mine && fits) {
      gather(chains.node, first, t.vertex, side.change + begin);
      plan_list(side, side.change + begin, length, t, policy, directed, counts);
    }
    t.first = begin;
    t.last = begin + length;
    place(block, side, totals, t, i, sums);
    if (mine) side.touched[i] = t;
  });
  sums.add_to(block, *side.totals);
  if (count) add_counts(block, counts, &totals->counts);
}

}  // namespace fathom::dynamic::gpu::blocks
