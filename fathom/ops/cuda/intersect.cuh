// Kernels of intersect: for every edge (u, v) the common targets of two lists.
//
// The list of u goes to a hash table in shared memory, where the lists of all v in it are looked up
// (the scheme of TRUST: Pandey et al., "TRUST: Triangle counting reloaded on GPUs", IEEE TPDS
// 32(11), 2021). Lists of up to 32 entries by 8 lanes with a table of their own, longer ones by a
// warp. Those of hubs are put off: blocks take pieces of them, so that work is dealt out by edges.
#pragma once

#include "fathom/core/block.hpp"
#include "fathom/ops/cuda/operators.hpp"
#include "fathom/ops/cuda/walk.cuh"
#include "fathom/ops/intersect_lists.hpp"

namespace fathom::cuda {

// Words of a block's tables, of 32 KiB, and of each lane's share where warps and tiles have theirs.
inline constexpr std::uint32_t kTableWords = 32768 / sizeof(VertexId),
                               kLaneWords = kTableWords / kBlock;

static_assert(TargetTable<true>::most(32 * kLaneWords) >= kPiece);
static_assert(TargetTable<true>::most(TileLanes::kSize * kLaneWords) >= kShort);

__device__ inline OrderedWarp ordered(const WarpLanes&) {
  return {};
}
__device__ inline OrderedTile ordered(const TileLanes&) {
  return {};
}

/// Whole lists come as one span.
template <class E>
__device__ typename E::Span whole_list(const E& edges, VertexId v) {
  typename E::Span s;
  auto cursor = edges.begin(v);
  if (!edges.next(cursor, s)) s.size = 0;
  return s;
}

/// Entries [first, last) of a list.
__device__ inline PlainSpan part_of(const PlainSpan& s, std::uint32_t first, std::uint32_t last) {
  return {s.target_at + first, nullptr, last - first};
}

struct PairRange {
  VertexId a_first, a_last, b_first, b_last;
};

template <class T>
__device__ T sum_of(const LaneGroup auto& g, T x) {
  return reduce(g, x, [](T a, T b) { return a + b; });
}

/// What is looked up in: `list`, of which `table` has the targets. `partial`: it is a part of u's.
template <class F>
struct Marked {
  PlainSpan list;
  TargetTable<F::kCredits> table;
  bool partial;
};

/// The common targets of what is marked and of `other`, the list of v; returns the lane's share.
template <class F, LaneGroup G>
__device__ unsigned long long common_of(const G& g, const Marked<F>& marked, PlainSpan other,
                                        const F& f) {
  if (marked.partial) {
    const std::uint32_t first = first_at_least(other, marked.list.target(0), 0, other.size);
    const VertexId last = marked.list.target(marked.list.size - 1);
    other = part_of(other, first, first_at_least(other, last + 1, first, other.size));
  }
  if (other.size / kSearchFrom > marked.list.size)
    return search_common(g, marked.list, other, [&](VertexId w) {
      if constexpr (F::kCredits) f.credit(w, 1);
    });
  return table_common(g, marked.table, other);
}

/// Looks up the lists of entries [first, last) of u's list. Returns the lane's share of the
/// triples; credits them to v. Collective.
template <class F, LaneGroup G, class E>
__device__ unsigned long long look_up_lists(const G& g, const Marked<F>& marked,
                                            const PlainSpan& mine, std::uint32_t first,
                                            std::uint32_t last, const E& b, const PairRange& range,
                                            const F& f) {
  unsigned long long sum = 0;
  for (; first < last; first += g.size()) {
    const std::uint32_t i = first + g.rank();
    const VertexId v = i < last ? mine.target(i) : kNoVertex;
    typename E::Cursor its{0, 0};
    if (v >= range.b_first && v < range.b_last) its = b.begin(v);
    const std::uint32_t count = last - first < g.size() ? last - first : g.size();
    for (std::uint32_t k = 0; k < count; ++k) {
      auto list = shuffle(g, its, k);
      PlainSpan other;
      if (!b.next(list, other)) continue;
      const unsigned long long found = common_of(g, marked, other, f);
      sum += found;
      if constexpr (F::kCredits) {
        const auto all = sum_of(g, found);
        if (g.rank() == k && all != 0) f.credit(v, all);
      }
    }
  }
  return sum;
}

/// Part `rank` of `of` of crediting what the table counted.
template <class F>
__device__ void credit_hits(const TargetTable<F::kCredits>& table, std::uint32_t rank,
                            std::uint32_t of, const F& f) {
  for (std::uint32_t i = rank; i < table.slots(); i += of)
    if (table.target(i) != kNoVertex && table.hits(i) != 0)
      f.credit(table.target(i), table.hits(i));
}

/// Adds the triples that the lanes of a group found for u.
template <class F, LaneGroup G>
__device__ void credit_sum(const G& g, VertexId u, unsigned long long found, const F& f) {
  const auto all = sum_of(g, found);
  if (g.rank() == 0 && all != 0) f.credit(u, all);
}

/// All edges (u, v) of one list, by a group with a table of kLaneWords per lane.
template <class F, LaneGroup G, class E>
__device__ unsigned long long intersect_list(const G& g, VertexId u, const PlainSpan& mine,
                                             const E& b, const PairRange& range, const F& f,
                                             VertexId* words) {
  // Where lists are streamed most passes show none of them.
  const std::uint32_t first =
      range.b_first == 0 ? 0 : first_at_least(mine, range.b_first, 0, mine.size);
  const std::uint32_t last = mine.target(mine.size - 1) < range.b_last
                                 ? mine.size
                                 : first_at_least(mine, range.b_last, first, mine.size);
  if (first == last) return 0;
  const TargetTable<F::kCredits> table(words, mine.size);
  table.clear(g.rank(), g.size());
  g.ballot(true);
  for (std::uint32_t i = g.rank(); i < mine.size; i += g.size()) table.insert(mine.target(i));
  g.ballot(true);
  const auto found =
      look_up_lists(g, Marked<F>{mine, table, false}, mine, first, last, b, range, f);
  g.ballot(true);
  if constexpr (F::kCredits) {
    credit_hits(table, g.rank(), g.size(), f);
    credit_sum(g, u, found, f);
    g.ballot(true);
  }
  return found;
}

template <class E, class F>
__global__ void __launch_bounds__(kBlock)
    intersect_lists(E a, E b, PairRange range, FrontierRef all, F f, HubQueue hubs,
                    unsigned long long* total) {
  __shared__ unsigned char slots[kBlock];
  __shared__ VertexId tables[kTableWords];
  unsigned long long found = 0;
  for_tiles(all, range.a_first, range.a_last, [&](VertexId v) {
    EdgeCursor list = list_or_put_off(a, v, hubs).list;
    if (length_of(list) < 2) list.end = list.pos;
    share_lists(WarpLanes{}, v, list, true, slots + threadIdx.x / 32 * 32,
                [&](const auto& g, VertexId u, EdgeCursor its) {
                  PlainSpan mine;
                  a.next(its, mine);
                  VertexId* const words = tables + threadIdx.x / g.size() * g.size() * kLaneWords;
                  found += intersect_list(ordered(g), u, mine, b, range, f, words);
                });
  });
  found = sum_of(WarpLanes{}, found);
  if (threadIdx.x % 32 == 0 && found != 0) AtomicRef(*total).fetch_add(found);
}

/// Entries [first, last) of the list of hub u, by a block. Where the list is longer than the table
/// is large, its parts take turns: targets ascend, so that each sees a part of every other list.
template <class F, class E>
__device__ unsigned long long intersect_piece(VertexId u, const PlainSpan& mine,
                                              std::uint32_t first, std::uint32_t last, const E& b,
                                              const PairRange& range, const F& f, VertexId* words) {
  constexpr std::uint32_t kMost = TargetTable<F::kCredits>::most(kTableWords);
  constexpr std::uint32_t kShare = static_cast<std::uint32_t>(kPiece) / kWarps;
  const OrderedWarp g;
  unsigned long long found = 0;
  for (std::uint32_t from = 0; from < mine.size; from += kMost) {
    const PlainSpan part = part_of(mine, from, mine.size - from > kMost ? from + kMost : mine.size);
    const TargetTable<F::kCredits> table(words, part.size);
    table.clear(threadIdx.x, kBlock);
    __syncthreads();
    for (std::uint32_t i = threadIdx.x; i < part.size; i += kBlock) table.insert(part.target(i));
    __syncthreads();
    const std::uint32_t mine_first = first + threadIdx.x / 32 * kShare;
    const std::uint32_t mine_last = mine_first + kShare < last ? mine_first + kShare : last;
    found += look_up_lists(g, Marked<F>{part, table, part.size < mine.size}, mine, mine_first,
                           mine_last, b, range, f);
    __syncthreads();
    if constexpr (F::kCredits) {
      credit_hits(table, threadIdx.x, kBlock, f);
      __syncthreads();
    }
  }
  if constexpr (F::kCredits) credit_sum(g, u, found, f);
  return found;
}

/// A block per piece of a hub, as they come.
template <class E, class F>
__global__ void __launch_bounds__(kBlock)
    intersect_hubs(E a, E b, PairRange range, F f, HubQueue hubs, unsigned long long* taken,
                   unsigned long long* total) {
  __shared__ VertexId words[kTableWords];
  __shared__ unsigned long long next;
  unsigned long long found = 0;
  for (;;) {
    if (threadIdx.x == 0) next = AtomicRef(*taken).fetch_add(1ull);
    __syncthreads();
    const unsigned long long p = next;
    __syncthreads();
    if (p >= hubs.pieces()) break;
    const std::uint32_t hub = hubs.hub_of(static_cast<std::uint32_t>(p));
    const VertexId u = hubs.vertex[hub];
    const PlainSpan mine = whole_list(a, u);
    const auto at = (static_cast<std::uint32_t>(p) - hubs.first_piece[hub]) *
                    static_cast<std::uint32_t>(kPiece);
    const std::uint32_t end = mine.size - at > kPiece ? at + kPiece : mine.size;
    const std::uint32_t first = first_at_least(mine, range.b_first, at, end);
    const std::uint32_t last = first_at_least(mine, range.b_last, first, end);
    if (first < last) found += intersect_piece(u, mine, first, last, b, range, f, words);
  }
  found = sum_of(WarpLanes{}, found);
  if (threadIdx.x % 32 == 0 && found != 0) AtomicRef(*total).fetch_add(found);
}

template <class F>
std::uint64_t intersect(const PairPass& pass, EdgeId all_edges, VertexId vertices, const F& f) {
  if (all_edges == 0) return 0;
  Gpu& gpu = *pass.device.gpu();
  // Pieces taken and triples, then the queue.
  auto* const counts =
      static_cast<unsigned long long*>(gpu.scratch(16 + HubQueue::bytes(all_edges)));
  check(cudaMemsetAsync(counts, 0, 16, gpu.stream()), "clearing counters");
  const HubQueue hubs = HubQueue::make(gpu, counts + 2, all_edges);
  const PairRange range{pass.a_first, pass.a_last, pass.b_first, pass.b_last};
  FrontierRef all;
  all.universe = vertices;
  auto launch = [&]<class E>(const E& a, const E& b) {
    const auto lists = intersect_lists<E, F>;
    const auto of_hubs = intersect_hubs<E, F>;
    lists<<<gpu.grid(reinterpret_cast<const void*>(lists)), kBlock, 0, gpu.stream()>>>(
        a, b, range, all, f, hubs, counts + 1);
    of_hubs<<<gpu.grid(reinterpret_cast<const void*>(of_hubs)), kBlock, 0, gpu.stream()>>>(
        a, b, range, f, hubs, counts, counts + 1);
  };
  using Cached = CachedEdges<FlatEdges>;
  if (std::holds_alternative<Cached>(pass.a))
    launch(std::get<Cached>(pass.a), std::get<Cached>(pass.b));
  else
    launch(std::get<FlatEdges>(pass.a), std::get<FlatEdges>(pass.b));
  check(cudaGetLastError(), "starting intersect");
  unsigned long long found = 0;
  gpu.copy(&found, counts + 1, sizeof(found));
  return found;
}

}  // namespace fathom::cuda
