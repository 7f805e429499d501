// What device and host code see of the edges, whatever they live in.
//
// An adjacency list is a short sequence of contiguous spans. Flat arrays yield one span, pages one
// per page, packed lists one per block. A span is asked for its i-th target and weight, so that a
// layout may decode on the fly. Nothing above this file knows more.
#pragma once

#include <concepts>
#include <type_traits>
#include <variant>

#include "fathom/residency/dynamic_edges.hpp"
#include "fathom/residency/edge_cursor.hpp"
#include "fathom/residency/filtered/filtered_edges.hpp"
#include "fathom/residency/narrow/narrow_edges.hpp"
#include "fathom/residency/packed/packed_edges.hpp"
#include "fathom/residency/plain_span.hpp"
#include "fathom/residency/slotted/slotted_edges.hpp"

namespace fathom {

/// A layout whose spans the lanes of a group make together, so that each has what it needs.
template <class E>
concept CollectiveView = requires(const E e, OneLane g, typename E::Cursor c, typename E::Span s) {
  { e.next(g, c, s) } -> std::same_as<bool>;  // false: list exhausted
};

/// Trivially copyable, passed to kernels by value, valid only inside one EdgeSource pass.
template <class E>
concept EdgeView = std::is_trivially_copyable_v<E> &&
                   (CollectiveView<E> ||
                    requires(const E e, typename E::Cursor c, typename E::Span s) {
                      { e.next(c, s) } -> std::same_as<bool>;
                    }) &&
                   requires(const E e, VertexId v, std::uint32_t i, typename E::Span s) {
  { e.begin(v) } -> std::same_as<typename E::Cursor>;
  { s.size } -> std::convertible_to<std::uint32_t>;
  { s.target(i) } -> std::same_as<VertexId>;
  { s.weight(i) } -> std::same_as<Weight>;
  { s.lead() } -> std::same_as<std::uint32_t>;  // entries since the last 128-byte border
};

/// The next span of the list that a group of lanes walks together, all with the same cursor. Where
/// the layout is a CollectiveView only the lanes that made a span may ask it, and a lane only for
/// its own entries: those that rounds give it which begin lead() lanes before the span.
template <LaneGroup G, class E>
FATHOM_HD bool next_span([[maybe_unused]] const G& g, const E& edges, typename E::Cursor& c,
                         typename E::Span& s) {
  if constexpr (CollectiveView<E>)
    return edges.next(g, c, s);
  else
    return edges.next(c, s);
}

/// CSR arrays reachable by plain loads: host memory, device memory, pinned or unified memory. The
/// residencies that offer this share the type and hence every kernel.
struct FlatEdges {
  const EdgeId* offset = nullptr;    // list of v: positions offset[v] .. offset[v + 1)
  const VertexId* target = nullptr;  // position p is target[p - base]
  const Weight* weight = nullptr;    // likewise; null: unweighted
  EdgeId base = 0;                   // not 0 when the arrays are a piece of the whole
  EdgeId limit = kWholeList;         // show at most so many edges of each list

  using Cursor = EdgeCursor;
  using Span = PlainSpan;
  FATHOM_HD Cursor begin(VertexId v) const { return detail::list_of(offset, v, limit); }
  FATHOM_HD bool next(Cursor& c, Span& s) const {
    if (c.pos == c.end) return false;
    const EdgeId size = c.end - c.pos < kLongestSpan ? c.end - c.pos : kLongestSpan;
    s = {target + (c.pos - base), weight ? weight + (c.pos - base) : nullptr,
         static_cast<std::uint32_t>(size)};
    c.pos += size;
    return true;
  }
};

/// {target, weight} pairs: half the cache lines where both are always read (delta-stepping).
struct InterleavedEdges {
  struct Pair {
    VertexId target;
    Weight weight;
  };
  const EdgeId* offset = nullptr;
  const Pair* pair = nullptr;
  EdgeId limit = kWholeList;

  struct Span {
    const Pair* at = nullptr;
    std::uint32_t size = 0;
    FATHOM_HD VertexId target(std::size_t i) const { return at[i].target; }
    FATHOM_HD Weight weight(std::size_t i) const { return at[i].weight; }
    FATHOM_HD std::uint32_t lead() const { return detail::entries_past_line(at, sizeof(Pair)); }
    FATHOM_HD std::uintptr_t address(std::size_t i) const {
      return reinterpret_cast<std::uintptr_t>(at + i);
    }
  };
  using Cursor = EdgeCursor;
  FATHOM_HD Cursor begin(VertexId v) const { return detail::list_of(offset, v, limit); }
  FATHOM_HD bool next(Cursor& c, Span& s) const {
    if (c.pos == c.end) return false;
    const EdgeId size = c.end - c.pos < kLongestSpan ? c.end - c.pos : kLongestSpan;
    s = {pair + c.pos, static_cast<std::uint32_t>(size)};
    c.pos += size;
    return true;
  }
};

/// CSR cut into pages of 2^page_shift edges. page_target[p] points at page p wherever it is now,
/// and is null when page p is not part of this pass; its edges are then skipped, so that each edge
/// is seen in exactly one pass.
struct PagedEdges {
  const EdgeId* offset = nullptr;
  const VertexId* const* page_target = nullptr;  // [pages]
  const Weight* const* page_weight = nullptr;    // [pages]; null: unweighted
  std::uint32_t page_shift = 0;                  // at most 31
  EdgeId limit = kWholeList;

  using Cursor = EdgeCursor;
  using Span = PlainSpan;
  FATHOM_HD Cursor begin(VertexId v) const { return detail::list_of(offset, v, limit); }
  FATHOM_HD bool next(Cursor& c, Span& s) const {
    while (c.pos < c.end) {
      const EdgeId page = c.pos >> page_shift;
      const EdgeId first = page << page_shift;
      const EdgeId last = first + (EdgeId{1} << page_shift);
      const EdgeId from = c.pos;
      const EdgeId to = c.end < last ? c.end : last;
      c.pos = to;
      if (const VertexId* t = page_target[page]) {
        s = {t + (from - first), page_weight ? page_weight[page] + (from - first) : nullptr,
             static_cast<std::uint32_t>(to - from)};
        return true;
      }
    }
    return false;
  }
};

/// Lists of which some have a copy in nearer memory. Base is a flat layout.
template <class Base>
struct CachedEdges {
  static constexpr std::uint32_t kNotCached = ~std::uint32_t{0};
  static constexpr EdgeId kNear = EdgeId{1} << 63;  // set in positions that mean `near`

  Base far, near;                          // near.offset is not used
  const std::uint32_t* near_at = nullptr;  // [vertices], in units of 2^unit_shift positions
  std::uint32_t unit_shift = 0;

  using Cursor = EdgeCursor;
  using Span = typename Base::Span;
  FATHOM_HD Cursor begin(VertexId v) const {
    const Cursor list = far.begin(v);
    const std::uint32_t at = near_at[v];
    if (at == kNotCached) return list;
    const EdgeId first = kNear | static_cast<EdgeId>(at) << unit_shift;
    return {first, first + (list.end - list.pos)};
  }
  FATHOM_HD bool next(Cursor& c, Span& s) const {
    if ((c.pos & kNear) == 0) return far.next(c, s);
    Cursor its{c.pos & ~kNear, c.end & ~kNear};
    const bool any = near.next(its, s);
    c.pos = its.pos | kNear;
    return any;
  }
};

static_assert(EdgeView<FlatEdges> && EdgeView<InterleavedEdges> && EdgeView<PagedEdges>);
static_assert(EdgeView<DynamicEdges> && EdgeView<ContiguousEdges> && EdgeView<FilteredEdges>);
static_assert(EdgeView<SlottedEdges> && EdgeView<NarrowEdges>);
static_assert(EdgeView<PackedEdges> && CollectiveView<PackedEdges>);
static_assert(!CollectiveView<FlatEdges>);
static_assert(EdgeView<CachedEdges<FlatEdges>> && EdgeView<CachedEdges<InterleavedEdges>> &&
              EdgeView<CachedEdges<NarrowEdges>>);

/// The closed list of edge layouts. Adding one recompiles every kernel: think twice. No GPU is
/// shown FilteredEdges.
using AnyEdges = std::variant<FlatEdges, InterleavedEdges, PagedEdges, SlottedEdges, NarrowEdges,
                              PackedEdges, CachedEdges<FlatEdges>, CachedEdges<InterleavedEdges>,
                              CachedEdges<NarrowEdges>, DynamicEdges, FilteredEdges>;

/// Calls body(view) for the layouts that host memory is shown in, DynamicEdges as ContiguousEdges
/// where they can be. The others are shown to GPUs alone: loops of the CPU executor are not
/// compiled for them.
template <class Body>
void visit_host_edges(const Body& body, const AnyEdges& edges) {
  if (const auto* flat = std::get_if<FlatEdges>(&edges)) return body(*flat);
  if (const auto* pairs = std::get_if<InterleavedEdges>(&edges)) return body(*pairs);
  if (const auto* slotted = std::get_if<SlottedEdges>(&edges)) return body(*slotted);
  if (const auto* dynamic = std::get_if<DynamicEdges>(&edges)) {
    if (ContiguousEdges::show(dynamic->layout)) return body(ContiguousEdges(*dynamic));
    return body(*dynamic);
  }
  if (const auto* filtered = std::get_if<FilteredEdges>(&edges)) return body(*filtered);
  body(std::get<PagedEdges>(edges));
}

}  // namespace fathom
