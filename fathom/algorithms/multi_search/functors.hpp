// What searches from many sources at once do on an edge, for any executor. A set of searches is a
// word, a bit per search: one operation serves them all.
#pragma once

#include "fathom/algorithms/multi_search/search_set.hpp"
#include "fathom/core/atomic.hpp"

namespace fathom {

/// Level 0: vertex[i] is a source of the searches searches[i].
struct MultiBfsPlace {
  static constexpr bool kDeviceCode = true;
  const VertexId* vertex;
  const SearchSet* searches;
  SearchSet* arrived;
  SearchSet* seen;

  FATHOM_HD void operator()(VertexId i) const {
    arrived[vertex[i]] = searches[i];
    seen[vertex[i]] = searches[i];
  }
};

/// Push: the searches that have u in their frontier arrive at v, unless they have seen it.
struct MultiBfsPush {
  static constexpr bool kDeviceCode = true;
  const SearchSet* arrived;  // at this level
  const SearchSet* seen;     // up to this level
  SearchSet* arriving;       // at the next one

  FATHOM_HD bool visit(VertexId u, VertexId v, Weight) const {
    const SearchSet fresh = arrived[u] & ~seen[v];
    if (fresh == 0) return false;
    const AtomicRef into(arriving[v]);
    if ((into.load() & fresh) == fresh) return false;
    return into.fetch_or(fresh) == 0;  // true once: the first set of searches is never empty
  }
};

/// Whether a search that is still under way has yet to see v, and could: v has in-edges.
struct MultiBfsOpen {
  static constexpr bool kDeviceCode = true;
  const SearchSet* seen;
  const EdgeId* offset;  // of the in-lists
  SearchSet alive;
  FATHOM_HD bool operator()(VertexId v) const {
    return (alive & ~seen[v]) != 0 && offset[v] != offset[v + 1];
  }
};

/// Pull, before any list is read: what arrived at a vertex's hint, a neighbour of high degree,
/// arrives at the vertex. True where that is every search that is still under way.
struct MultiBfsHint {
  static constexpr bool kDeviceCode = true;
  const SearchSet* arrived;
  const VertexId* hint;  // kNoVertex: has none
  const SearchSet* seen;
  SearchSet* arriving;
  SearchSet alive;

  FATHOM_HD bool operator()(VertexId u) const {
    if (hint[u] == kNoVertex) return false;
    const SearchSet fresh = arrived[hint[u]] & ~seen[u];
    if (fresh == 0) return false;
    arriving[u] = fresh;
    return (alive & ~(seen[u] | fresh)) == 0;
  }
};

/// Pull: u unites what arrived at its in-neighbours, and stops once it has every search that is
/// still under way.
struct MultiBfsPull {
  static constexpr bool kDeviceCode = true;
  const SearchSet* arrived;
  const SearchSet* seen;
  SearchSet* arriving;
  SearchSet alive;

  using Value = SearchSet;
  FATHOM_HD Value identity() const { return 0; }
  FATHOM_HD Value map(VertexId u, VertexId v, Weight) const { return seen[u] | arrived[v]; }
  FATHOM_HD Value combine(Value a, Value b) const { return a | b; }
  FATHOM_HD bool done(Value a) const { return (alive & ~a) == 0; }
  FATHOM_HD bool open(VertexId u) const {
    return (alive & ~(seen[u] | AtomicRef(arriving[u]).load())) != 0;
  }
  FATHOM_HD bool commit(VertexId u, Value a) const {
    const SearchSet fresh = a & ~seen[u];
    if (fresh != 0) AtomicRef(arriving[u]).fetch_or(fresh);
    return fresh != 0;
  }
};

/// The level that was read is over.
struct MultiBfsRetire {
  static constexpr bool kDeviceCode = true;
  SearchSet* arrived;
  FATHOM_HD void operator()(VertexId v) const { arrived[v] = 0; }
};

/// What arrived is seen, and its searches are under way.
struct MultiBfsSettle {
  static constexpr bool kDeviceCode = true;
  const SearchSet* arrived;
  SearchSet* seen;
  SearchSet* alive;  // [1]

  FATHOM_HD void operator()(VertexId v) const {
    const SearchSet fresh = arrived[v];
    seen[v] |= fresh;
    const AtomicRef all(*alive);
    if ((fresh & ~all.load()) != 0) all.fetch_or(fresh);
  }
};

/// Depths by bit planes: bit i of plane[p] at v is bit p of v's depth in search i.
struct MultiBfsNoteDepth {
  static constexpr bool kDeviceCode = true;
  static constexpr std::uint32_t kMostPlanes = 32;
  const SearchSet* arrived;
  std::uint32_t level;
  SearchSet* plane[kMostPlanes];

  FATHOM_HD void operator()(VertexId v) const {
    const SearchSet fresh = arrived[v];
    for (std::uint32_t p = 0; p < kMostPlanes && level >> p != 0; ++p)
      if ((level >> p & 1) != 0) plane[p][v] |= fresh;
  }
};

}  // namespace fathom
