// How the warps of a grid share the lists of a frontier (Merrill, Garland and Grimshaw, PPoPP 2012,
// section 5: by list length).
//
// A warp takes 32 vertices at a time in ascending order, so that reads of host memory move through
// it in one direction (docs/adr/0005). Short lists are walked by 8 lanes each, longer ones by the
// warp, and hubs are put off: a second kernel cuts them into pieces that any warp takes, so that no
// warp ever walks a hub alone.
#pragma once

#include "fathom/core/atomic.hpp"
#include "fathom/core/error.hpp"
#include "fathom/core/lanes.hpp"
#include "fathom/exec/cuda/gpu.hpp"
#include "fathom/exec/frontier.hpp"
#include "fathom/ops/expand.hpp"
#include "fathom/ops/link_meter.hpp"
#include "fathom/ops/list_length.hpp"
#include "fathom/ops/only_edges.hpp"
#include "fathom/residency/edge_source.hpp"
#include "fathom/residency/edge_view.hpp"

namespace fathom::cuda {

inline constexpr unsigned kBlock = 256;
inline constexpr unsigned kWarps = kBlock / 32;

// Lists longer than this are hubs, cut into pieces of as many edges. With 1024 and 128 vertices per
// warp a search of R-MAT 20 in degree or HALO order, where long lists are neighbours, took 1.5 to
// 2.5 times as long as in random order, now up to 1.2 times (PageRank over the link takes 7 %
// more). A KiB of targets: with wide ids half as many, for which a warp has a table
// (intersect.cuh).
inline constexpr EdgeId kPiece = 1024 / sizeof(VertexId);
// Lists of device memory up to this length are walked by 8 lanes.
inline constexpr EdgeId kShort = 32;

/// Hubs put off by the first kernel, and how many pieces precede each.
///
/// Invariant: entries [0, hubs) are ascending in first_piece; the low half of *count is the number
/// of hubs, the high half that of all pieces.
struct HubQueue {
  VertexId* vertex;
  std::uint32_t* first_piece;
  unsigned long long* count;
  std::uint32_t capacity;
  StatusRef status;

  __device__ void push(VertexId u, EdgeId degree) const {
    const auto pieces = static_cast<unsigned long long>((degree + kPiece - 1) / kPiece);
    const unsigned long long old = AtomicRef(*count).fetch_add(pieces << 32 | 1);
    if ((old & 0xffffffffu) >= capacity) {  // more hubs than the edges can have: a damaged list
      AtomicRef(*count).fetch_add(0ull - (pieces << 32 | 1));
      return status.fail(DeviceFault::QueueOverflow, (old & 0xffffffffu) + 1);
    }
    vertex[old & 0xffffffffu] = u;
    first_piece[old & 0xffffffffu] = static_cast<std::uint32_t>(old >> 32);
  }
  __device__ std::uint32_t hubs() const { return static_cast<std::uint32_t>(*count); }
  __device__ std::uint32_t pieces() const { return static_cast<std::uint32_t>(*count >> 32); }
  /// The hub that piece p belongs to: the last one that starts at or before it.
  __device__ std::uint32_t hub_of(std::uint32_t p) const {
    std::uint32_t low = 0, high = hubs();
    while (high - low > 1) {
      const std::uint32_t middle = low + (high - low) / 2;
      (first_piece[middle] <= p ? low : high) = middle;
    }
    return low;
  }

  /// The most hubs that lists of so many edges in all can hold.
  static std::size_t most_hubs(EdgeId edges) {
    return static_cast<std::size_t>(edges / kPiece) + 1;
  }
  static std::size_t bytes(EdgeId edges) {
    return 8 + most_hubs(edges) * (sizeof(VertexId) + sizeof(std::uint32_t));
  }
  /// Laid out in `memory`, with nothing in it.
  static HubQueue make(const Gpu& gpu, void* memory, EdgeId edges) {
    auto* count = static_cast<unsigned long long*>(memory);
    check(cudaMemsetAsync(count, 0, sizeof(*count), gpu.stream()), "clearing a queue");
    auto* vertex = reinterpret_cast<VertexId*>(count + 1);
    return {vertex, reinterpret_cast<std::uint32_t*>(vertex + most_hubs(edges)), count,
            static_cast<std::uint32_t>(most_hubs(edges)), gpu.status()};
  }
};

/// Whether lists can be cut anywhere: linked pages of a graph that changes are found one by one, so
/// that a warp walks all of them.
template <class E>
__device__ bool can_be_cut(const E& edges) {
  if constexpr (std::is_same_v<E, DynamicEdges>)
    return edges.layout.link_words == 0;
  else
    return true;
}

/// What a lane of the first kernel has of a vertex: nothing of kNoVertex, and nothing now of a hub.
template <class Cursor>
struct WalkedList {
  Cursor list{};
  bool put_off = false;
};

/// The list of v, or v put off into the queue.
template <class E>
__device__ WalkedList<typename E::Cursor> list_or_put_off(const E& edges, VertexId v,
                                                          const HubQueue& hubs) {
  WalkedList<typename E::Cursor> walked;
  if (v == kNoVertex) return walked;
  const auto list = edges.begin(v);
  walked.put_off = length_of(list) > kPiece && can_be_cut(edges);
  if (walked.put_off)
    hubs.push(v, length_of(list));
  else
    walked.list = list;
  return walked;
}

template <class E>
inline constexpr bool kStreamed = std::is_same_v<E, PagedEdges> || std::is_same_v<E, SlottedEdges>;
template <class E>
inline constexpr bool kPairs =
    std::is_same_v<E, InterleavedEdges> || std::is_same_v<E, CachedEdges<InterleavedEdges>>;
template <class E>
inline constexpr bool kDynamic = std::is_same_v<E, DynamicEdges>;

/// Whether edges are ever shown so to a functor (only_edges.hpp): each kernel that need not be
/// compiled is a tenth of a second. Sources show pairs only to functors that read weights; slotted
/// pages take turns, or are all in a GPU's memory; filtered lists are shown to hosts alone.
template <class E, class F>
inline constexpr bool kShown =
    !std::is_same_v<E, FilteredEdges> &&
    (kReadsWeights<F> || !kPairs<E>)&&(kStreamed<E> || kOnlyEdges<F> != OnlyEdges::Streamed) &&
    (kDynamic<E> || kOnlyEdges<F> != OnlyEdges::Dynamic);

/// Ends a run whose edges no kernel was compiled for.
[[noreturn]] inline void fail_as_not_shown() {
  throw Error(ErrorCode::Internal, "a functor was shown edges that it says it never is");
}

/// Layouts that EMOGI's naive and merged patterns are compiled for; the others are always walked
/// aligned.
template <class E>
inline constexpr bool kEveryPattern =
    std::is_same_v<E, FlatEdges> || std::is_same_v<E, NarrowEdges>;

/// Whether short lists are ever walked by tiles: not where spans are made by whole warps.
template <class E>
inline constexpr bool kByTiles = !CollectiveView<E>;

/// How the warps of a pass walk lists.
struct Manner {
  bool short_lists_by_tile;  // lists of up to kShort edges by 8 lanes
  std::uint32_t align_mask;  // see MeteredWarpLanes
  LinkWindow link;
};

/// Not by tiles over the link, where a warp asks for lines.
inline Manner manner_of(const Pass& pass) {
  return {!pass.remote && pass.technique != Technique::EdgeCentric,
          pass.access == Access::Merged ? 0u : 31u, pass.link};
}

/// The k-th piece of a list.
__device__ inline EdgeCursor piece(EdgeCursor list, std::uint32_t k) {
  const EdgeId first = list.pos + k * kPiece;
  return {first, list.end - first > kPiece ? first + kPiece : list.end};
}
/// Of a list on one page.
__device__ inline DynamicEdges::Cursor piece(DynamicEdges::Cursor list, std::uint32_t k) {
  const std::uint32_t first = k * static_cast<std::uint32_t>(kPiece);
  const std::uint32_t rest = list.left - first;
  list.at += first;
  list.left = rest > kPiece ? static_cast<std::uint32_t>(kPiece) : rest;
  return list;
}

/// A lane's meter for the addresses of a pass.
__device__ inline LinkMeter meter_of(const LinkWindow& link) {
  return {link.first, link.last, 0, 0};
}
/// A warp that remembers the block it unpacked last: lists that follow each other lie in it too.
struct UnpackingWarp : MeteredWarpLanes {
  UnpackedBlock* last;
};

/// What the warps that walk lists of this layout keep from one to the next.
template <class E>
struct WalkMemory {};
template <>
struct WalkMemory<PackedEdges> {
  UnpackedBlock last;
};

/// The warps that walk lists of this layout. Lists that change are never behind the link.
template <class E>
__device__ auto warp_for(const Manner& how, LinkMeter& meter,
                         [[maybe_unused]] WalkMemory<E>& memory) {
  if constexpr (kDynamic<E>) {
    return WarpLanes{};
  } else {
    const MeteredWarpLanes warp{
        {}, how.link.counts ? &meter : nullptr, kEveryPattern<E> ? how.align_mask : 31u};
    if constexpr (CollectiveView<E>)
      return UnpackingWarp{warp, &memory.last};
    else
      return warp;
  }
}
/// Adds what the lanes of a warp counted to the pass's counts. All lanes call it.
template <class E>
__device__ void report(const LinkMeter& meter, const LinkWindow& link) {
  if (kDynamic<E> || !link.counts) return;
  const auto sum = [](unsigned long long a, unsigned long long b) { return a + b; };
  const auto requests = reduce(WarpLanes{}, static_cast<unsigned long long>(meter.requests), sum);
  const auto bytes = reduce(WarpLanes{}, static_cast<unsigned long long>(meter.bytes), sum);
  if (threadIdx.x % 32 == 0 && requests != 0) {
    AtomicRef(link.counts[0]).fetch_add(requests);
    AtomicRef(link.counts[1]).fetch_add(bytes);
  }
}

__device__ inline std::uint32_t warp_index() {
  return blockIdx.x * kWarps + threadIdx.x / 32;
}
__device__ inline std::uint32_t warp_count() {
  return gridDim.x * kWarps;
}

/// Calls body(v) with a vertex of the frontier below or equal to kNoVertex in each lane of a warp,
/// all lanes together, until every vertex of [first, last) was in one lane once.
template <class Body>
__device__ void for_tiles(const FrontierRef& in, VertexId first, VertexId last, const Body& body) {
  const unsigned lane = threadIdx.x % 32;
  // A word of 32 vertices a time: neighbours in a good order have lists of like length, and a warp
  // that got more of the longest would be the last to end.
  constexpr std::uint32_t kWords = 1;
  const auto* words = reinterpret_cast<const std::uint32_t*>(in.bits);
  const auto end = static_cast<std::uint32_t>((std::uint64_t{last} + 31) / 32);
  const std::uint64_t step = std::uint64_t{warp_count()} * kWords;
  for (std::uint64_t base = first / 32 + std::uint64_t{warp_index()} * kWords; base < end;
       base += step) {
    std::uint32_t mine = 0;
    if (const auto w = static_cast<std::uint32_t>(base + lane); lane < kWords && w < end) {
      mine = in.form == FrontierRef::Form::All ? ~0u : words[w];
      if (w == first / 32) mine &= ~0u << (first % 32);
      if (w == last / 32) mine &= (1u << (last % 32)) - 1;
    }
    for (std::uint32_t k = 0; k < kWords; ++k) {
      const std::uint32_t active = __shfl_sync(~0u, mine, static_cast<int>(k));
      if (active == 0) continue;
      const auto v = static_cast<VertexId>((base + k) * 32 + lane);
      body((active >> lane & 1) != 0 ? v : kNoVertex);
    }
  }
}

/// Those of its lists that 8 lanes walk each.
template <class Cursor, class Walk>
__device__ void share_short_lists(VertexId v, const Cursor& list, bool is_short,
                                  unsigned char* slot, const Walk& walk) {
  const std::uint32_t short_lists = __ballot_sync(~0u, is_short);
  if (short_lists == 0) return;
  const std::uint32_t before = (1u << threadIdx.x % 32) - 1;
  if (is_short) slot[__popc(short_lists & before)] = static_cast<unsigned char>(threadIdx.x % 32);
  __syncwarp();
  const auto count = static_cast<std::uint32_t>(__popc(short_lists));
  for (std::uint32_t k = 0; k < count; k += 32 / TileLanes::kSize) {
    const std::uint32_t mine = k + threadIdx.x % 32 / TileLanes::kSize;
    const std::uint32_t lane = slot[mine < count ? mine : 0];
    const VertexId u = shuffle(WarpLanes{}, v, lane);
    const Cursor its = shuffle(WarpLanes{}, list, lane);
    if (mine < count) walk(TileLanes{}, u, its);
    __syncwarp();
  }
}

/// Deals the lists that the lanes of a warp hold to lane groups: walk(group, v, list). Every lane
/// calls it; v is kNoVertex, or `list` empty, where a lane has none. `slot` is the warp's own.
template <bool kTiles = true, class Long, class Cursor, class Walk>
__device__ void share_lists(const Long& warp, VertexId v, const Cursor& list,
                            bool short_lists_by_tile, unsigned char* slot, const Walk& walk) {
  const EdgeId degree = length_of(list);
  const bool is_short = kTiles && short_lists_by_tile && degree > 0 && degree <= kShort;
  for (std::uint32_t rest = __ballot_sync(~0u, degree > 0 && !is_short); rest != 0;
       rest &= rest - 1) {
    const auto lane = static_cast<std::uint32_t>(__ffs(static_cast<int>(rest)) - 1);
    walk(warp, shuffle(WarpLanes{}, v, lane), shuffle(WarpLanes{}, list, lane));
  }
  if constexpr (kTiles) share_short_lists(v, list, is_short, slot, walk);
}

}  // namespace fathom::cuda
