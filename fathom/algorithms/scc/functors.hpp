// What strongly connected components do on an edge and a vertex, for any executor.
//
// Two words per vertex, of which the meaning changes with the phase:
// - label: of a vertex that is settled, a vertex that stands for its component; of one that is
//   left, its region, which no component leaves. While components grow from their roots, kNoVertex.
// - colour: in the search from a pivot a Mark, later a word that differs from vertex to vertex
//   (Palette) and sinks along edges; 0 of vertices that are settled.
#pragma once

#include "fathom/core/atomic.hpp"
#include "fathom/core/random.hpp"

namespace fathom {

/// Whether u has another vertex of its region among `left`.
struct HasPartner {
  static constexpr bool kDeviceCode = true;
  const std::uint64_t* left;  // a bit per vertex
  const VertexId* region;

  using Value = std::uint32_t;
  FATHOM_HD Value identity() const { return 0; }
  FATHOM_HD Value map(VertexId u, VertexId v, Weight) const {
    return u != v && (left[v >> 6] >> (v & 63) & 1) != 0 && region[u] == region[v] ? 1 : 0;
  }
  FATHOM_HD Value combine(Value a, Value b) const { return a | b; }
  FATHOM_HD bool done(Value found) const { return found != 0; }
  FATHOM_HD bool commit(VertexId, Value found) const { return found != 0; }
};

/// The same seen from the other end: v has u.
struct IsPartner {
  static constexpr bool kDeviceCode = true;
  HasPartner has;
  FATHOM_HD bool visit(VertexId u, VertexId v, Weight w) const { return has.map(u, v, w) != 0; }
};

/// A component of one vertex.
struct SettleAlone {
  static constexpr bool kDeviceCode = true;
  VertexId* label;
  VertexId* colour;
  FATHOM_HD void operator()(VertexId v) const {
    label[v] = v;
    colour[v] = 0;
  }
};

// The search from a pivot. Marks only sink, so that replicas agree by a minimum.

enum Mark : VertexId {
  kBoth = 0,     // reached from the pivot, and reaches it
  kForward = 1,  // reached from the pivot
  kUnmarked = 2,
};

struct Unmark {
  static constexpr bool kDeviceCode = true;
  VertexId* mark;
  FATHOM_HD void operator()(VertexId v) const { mark[v] = kUnmarked; }
};

/// Lowers the mark of v by one, from this one.
struct LowerMark {
  static constexpr bool kDeviceCode = true;
  VertexId* mark;
  VertexId from;

  FATHOM_HD bool visit(VertexId, VertexId v, Weight) const {
    const AtomicRef mine(mark[v]);
    VertexId was = from;
    return mine.load() == from && mine.compare_exchange(was, from - 1, Order::Relaxed);
  }
};

/// The same without in-edges: u looks for a target that was lowered.
struct LowerOwnMark {
  static constexpr bool kDeviceCode = true;
  VertexId* mark;
  VertexId from;

  using Value = std::uint32_t;
  FATHOM_HD Value identity() const { return 0; }
  FATHOM_HD Value map(VertexId, VertexId v, Weight) const {
    return AtomicRef(mark[v]).load() == from - 1 ? 1 : 0;
  }
  FATHOM_HD Value combine(Value a, Value b) const { return a | b; }
  FATHOM_HD bool done(Value found) const { return found != 0; }
  FATHOM_HD bool open(VertexId u) const { return AtomicRef(mark[u]).load() == from; }
  FATHOM_HD bool commit(VertexId u, Value found) const {
    if (found != 0) AtomicRef(mark[u]).store(from - 1);
    return found != 0;
  }
};

struct HasMark {
  static constexpr bool kDeviceCode = true;
  const VertexId* mark;
  VertexId wanted;
  FATHOM_HD bool operator()(VertexId v) const { return mark[v] == wanted; }
};

/// The component of the pivot is settled; of the others, those it reached are a region.
struct SettleMarked {
  static constexpr bool kDeviceCode = true;
  const VertexId* mark;
  VertexId* label;
  VertexId component;  // the mark of it
  VertexId pivot;
  FATHOM_HD void operator()(VertexId v) const { label[v] = mark[v] == component ? pivot : mark[v]; }
};

/// The complement of the product of a vertex's degrees: the smallest is the likeliest to be in the
/// largest component.
struct Unlikeliness {
  static constexpr bool kDeviceCode = true;
  const std::uint64_t* left;
  const EdgeId* out;
  const EdgeId* in;  // null: not known

  FATHOM_HD std::uint64_t operator()(VertexId v) const {
    if ((left[v >> 6] >> (v & 63) & 1) == 0) return ~std::uint64_t{0};
    const std::uint64_t from = capped(out[v + 1] - out[v]);
    return ~(from * (in ? capped(in[v + 1] - in[v]) : from));
  }
  FATHOM_HD static std::uint64_t capped(std::uint64_t degree) {
    constexpr std::uint64_t kMost = ~std::uint32_t{0};
    return degree < kMost ? degree : kMost;
  }
};

/// The first vertex of that value.
struct FirstOf {
  static constexpr bool kDeviceCode = true;
  Unlikeliness of;
  std::uint64_t wanted;
  FATHOM_HD VertexId operator()(VertexId v) const { return of(v) == wanted ? v : kNoVertex; }
};

// Rounds of colours.

/// The colour that a vertex begins a round with: 1:1, never 0, in another order each round. Each
/// step is 1:1 and keeps 0, which no v + 1 is.
struct Palette {
  VertexId first, second;  // odd

  static Palette of_round(std::uint64_t round) {
    const RandomStream random(3, round);
    return {static_cast<VertexId>(random.at(0) | 1), static_cast<VertexId>(random.at(1) | 1)};
  }
  FATHOM_HD VertexId operator()(VertexId v) const {
    constexpr int kHalf = 4 * sizeof(VertexId);
    VertexId x = (v + 1) * first;
    x = (x ^ (x >> kHalf)) * second;
    return x ^ (x >> kHalf);
  }
};

struct StartColour {
  static constexpr bool kDeviceCode = true;
  Palette palette;
  VertexId* colour;
  FATHOM_HD void operator()(VertexId v) const { colour[v] = palette(v); }
};

/// Lowers v's colour to u's, within a region.
struct LowerColour {
  static constexpr bool kDeviceCode = true;
  const VertexId* region;
  VertexId* colour;

  FATHOM_HD bool visit(VertexId u, VertexId v, Weight) const {
    if (region[u] != region[v]) return false;
    const VertexId mine = AtomicRef(colour[u]).load();
    return mine < AtomicRef(colour[v]).fetch_min(mine);
  }
};

/// A vertex that kept its colour is the root of its component.
struct StartRoots {
  static constexpr bool kDeviceCode = true;
  Palette palette;
  const VertexId* colour;
  VertexId* label;
  FATHOM_HD void operator()(VertexId v) const {
    label[v] = colour[v] == palette(v) ? v : kNoVertex;
  }
};

/// An edge from v to u, whose component is known: v is in it if they have one colour.
struct JoinRoot {
  static constexpr bool kDeviceCode = true;
  const VertexId* colour;
  VertexId* label;

  FATHOM_HD bool visit(VertexId u, VertexId v, Weight) const {
    if (colour[u] != colour[v]) return false;
    const AtomicRef its(label[v]);
    VertexId none = kNoVertex;
    return its.load() == kNoVertex &&
           its.compare_exchange(none, AtomicRef(label[u]).load(), Order::Relaxed);
  }
};

/// The same without in-edges: u looks for a target whose component is known.
struct JoinTarget {
  static constexpr bool kDeviceCode = true;
  const VertexId* colour;
  VertexId* label;

  using Value = VertexId;
  FATHOM_HD Value identity() const { return kNoVertex; }
  FATHOM_HD Value map(VertexId u, VertexId v, Weight) const {
    return colour[u] == colour[v] ? AtomicRef(label[v]).load() : kNoVertex;
  }
  FATHOM_HD Value combine(Value a, Value b) const { return b < a ? b : a; }
  FATHOM_HD bool done(Value root) const { return root != kNoVertex; }
  FATHOM_HD bool open(VertexId u) const { return AtomicRef(label[u]).load() == kNoVertex; }
  FATHOM_HD bool commit(VertexId u, Value root) const {
    if (root != kNoVertex) AtomicRef(label[u]).store(root);
    return root != kNoVertex;
  }
};

/// Whether v's component is (not) known.
struct IsKnown {
  static constexpr bool kDeviceCode = true;
  const VertexId* label;
  bool known;
  FATHOM_HD bool operator()(VertexId v) const { return (label[v] != kNoVertex) == known; }
};

/// Ends a round: colours are the regions of the next one.
struct EndRound {
  static constexpr bool kDeviceCode = true;
  VertexId* colour;
  VertexId* label;
  FATHOM_HD void operator()(VertexId v) const {
    if (label[v] == kNoVertex)
      label[v] = colour[v];
    else
      colour[v] = 0;
  }
};

// When all are settled.

struct FindFirst {
  static constexpr bool kDeviceCode = true;
  const VertexId* label;
  VertexId* first;
  FATHOM_HD void operator()(VertexId v) const { AtomicRef(first[label[v]]).fetch_min(v); }
};

struct LabelByFirst {
  static constexpr bool kDeviceCode = true;
  const VertexId* first;
  VertexId* label;
  FATHOM_HD void operator()(VertexId v) const { label[v] = first[label[v]]; }
};

}  // namespace fathom
