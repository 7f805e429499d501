// PageRank and triangles as aimGraph's and faimGraph's papers compute them, item by item, for any
// executor: an item is a whole list (naive), or a page of one (balanced; section 4.4 of Winter's
// thesis).
#pragma once

#include "fathom/core/atomic.hpp"
#include "fathom/ops/intersect_lists.hpp"

namespace fathom::dynamic::paper {

inline constexpr std::uint32_t kPieceEdges = 128;  // of contiguous lists: as a page of 512 bytes
inline constexpr VertexId kBlockVertices = 256;    // whose pieces one item adds up

FATHOM_HD EdgeId edges_left(const EdgeCursor& c) {
  return c.end - c.pos;
}
FATHOM_HD EdgeId edges_left(const DynamicEdges::Cursor& c) {
  return c.left;
}

/// Entries [first, last) of the span that comes next at a cursor in the list of a vertex: of linked
/// lists a page, or what lies between two gaps of one; of contiguous ones kPieceEdges at most.
template <EdgeView E>
struct Piece {
  VertexId vertex;
  typename E::Cursor cursor;
  std::uint32_t first, last;
};

/// Calls take(piece) for the pieces of a list, in its order.
template <EdgeView E, class Take>
FATHOM_HD void each_piece(const E& edges, VertexId v, const Take& take) {
  auto cursor = edges.begin(v);
  typename E::Span span;
  for (auto before = cursor; edges.next(cursor, span); before = cursor)
    for (std::uint32_t first = 0; first < span.size;) {
      const std::uint32_t rest = span.size - first;
      const std::uint32_t last = first + (rest < kPieceEdges ? rest : kPieceEdges);
      take(Piece<E>{v, before, first, last});
      first = last;
    }
}

// "An offset scheme to locate individual pages" (section 4.4.1): the pieces of each vertex are
// counted, the counts of blocks of vertices are added up, by the host across blocks, and each
// vertex writes its pieces behind those of the vertices before it.

template <EdgeView E>
struct CountPieces {
  static constexpr bool kDeviceCode = true;
  E edges;
  std::uint64_t* count;  // [vertices]
  FATHOM_HD void operator()(VertexId v) const {
    std::uint64_t mine = 0;
    each_piece(edges, v, [&](const Piece<E>&) { ++mine; });
    count[v] = mine;
  }
};

/// The vertices of a block: [first, last).
struct VertexBlock {
  VertexId first, last;
  FATHOM_HD VertexBlock(VertexId block, VertexId vertices)
      : first(block * kBlockVertices),
        last(vertices - first < kBlockVertices ? vertices : first + kBlockVertices) {}
};

struct SumBlock {
  static constexpr bool kDeviceCode = true;
  const std::uint64_t* count;  // [vertices]
  VertexId vertices;
  std::uint64_t* sum;  // [blocks]
  FATHOM_HD void operator()(VertexId block) const {
    const VertexBlock range(block, vertices);
    std::uint64_t all = 0;
    for (VertexId v = range.first; v < range.last; ++v) all += count[v];
    sum[block] = all;
  }
};

/// Turns counts into the number of the first piece of each vertex.
struct PlaceBlock {
  static constexpr bool kDeviceCode = true;
  std::uint64_t* count;  // [vertices]
  VertexId vertices;
  const std::uint64_t* before;  // [blocks]
  FATHOM_HD void operator()(VertexId block) const {
    const VertexBlock range(block, vertices);
    std::uint64_t at = before[block];
    for (VertexId v = range.first; v < range.last; ++v) {
      const std::uint64_t mine = count[v];
      count[v] = at;
      at += mine;
    }
  }
};

template <EdgeView E>
struct WritePieces {
  static constexpr bool kDeviceCode = true;
  E edges;
  const std::uint64_t* first;  // [vertices]
  Piece<E>* piece;
  FATHOM_HD void operator()(VertexId v) const {
    std::uint64_t at = first[v];
    each_piece(edges, v, [&](const Piece<E>& mine) { piece[at++] = mine; });
  }
};

/// Entries [first, last) of a span of the list of a vertex, which goes on at a cursor.
template <EdgeView E>
struct Share {
  VertexId vertex;
  typename E::Span span;
  std::uint32_t first, last;
  typename E::Cursor rest;
};

template <EdgeView E>
struct WorkItems {
  E edges;
  const Piece<E>* piece;  // null: an item is a list

  template <class Work>
  FATHOM_HD void each_share(VertexId item, const Work& work) const {
    if (piece) {
      const Piece<E> mine = piece[item];
      Share<E> share{mine.vertex, {}, mine.first, mine.last, mine.cursor};
      if (edges.next(share.rest, share.span)) work(share);
      return;
    }
    Share<E> share{item, {}, 0, 0, edges.begin(item)};
    while (edges.next(share.rest, share.span)) {
      share.last = share.span.size;
      work(share);
    }
  }
};

template <EdgeView E>
struct PushRank {
  static constexpr bool kDeviceCode = true;
  WorkItems<E> items;
  const double* rank;
  double* next;
  double alpha;
  FATHOM_HD void operator()(VertexId item) const {
    items.each_share(item, [&](const Share<E>& share) {
      const auto degree = static_cast<double>(edges_left(items.edges.begin(share.vertex)));
      const double gift = alpha * rank[share.vertex] / degree;
      for (std::uint32_t i = share.first; i < share.last; ++i)
        AtomicRef(next[share.span.target(i)]).fetch_add(gift);
    });
  }
};

/// Whether v is in the ascending list of u; searched page by page.
template <EdgeView E>
FATHOM_HD bool tied(const E& edges, VertexId u, VertexId v) {
  auto cursor = edges.begin(u);
  typename E::Span span;
  while (edges.next(cursor, span)) {
    if (span.target(span.size - 1) < v) continue;
    const std::uint32_t at = first_at_least(span, v, 0, span.size);
    return span.target(at) == v;
  }
  return false;
}

/// Calls take(a, b) for each a of a share and each b behind it in the list, both below the vertex.
template <EdgeView E, class Take>
FATHOM_HD void each_pair(const E& edges, const Share<E>& share, const Take& take) {
  const VertexId v = share.vertex;
  for (std::uint32_t i = share.first; i < share.last && share.span.target(i) < v; ++i) {
    const VertexId a = share.span.target(i);
    auto cursor = share.rest;
    auto others = share.span;
    std::uint32_t j = i + 1;
    do {
      for (; j < others.size && others.target(j) < v; ++j) take(a, others.target(j));
      if (j < others.size) break;
      j = 0;
    } while (edges.next(cursor, others));
  }
}

/// A triangle counts once for each of its corners.
template <EdgeView E>
struct TestPairs {
  static constexpr bool kDeviceCode = true;
  WorkItems<E> items;
  std::uint64_t* count;  // [vertices]
  FATHOM_HD void operator()(VertexId item) const {
    items.each_share(item, [&](const Share<E>& share) {
      each_pair(items.edges, share, [&](VertexId a, VertexId b) {
        if (!tied(items.edges, a, b)) return;
        AtomicRef(count[share.vertex]).fetch_add(std::uint64_t{1});
        AtomicRef(count[a]).fetch_add(std::uint64_t{1});
        AtomicRef(count[b]).fetch_add(std::uint64_t{1});
      });
    });
  }
};

struct CountOf {
  static constexpr bool kDeviceCode = true;
  const std::uint64_t* count;
  FATHOM_HD std::uint64_t operator()(VertexId v) const { return count[v]; }
};

}  // namespace fathom::dynamic::paper
