// What greedy colouring does on an edge and a vertex, for any executor.
//
// Two words per vertex:
// - word: of a vertex without a colour, how many entries of its lists, or of others' where only
//   these know of it, lead to vertices that go before it and have none either; then its colour.
//   Whoever goes before a vertex that is looked at has a colour, so that no one takes the one for
//   the other.
// - used: which colours of a window of 64 are taken by those.
#pragma once

#include <bit>

#include "fathom/algorithms/mis/functors.hpp"
#include "fathom/core/atomic.hpp"

namespace fathom {

inline constexpr std::uint32_t kColorWindow = 64;

/// The bit of a colour in the window that begins with `base`; 0: it is outside.
FATHOM_HD std::uint64_t color_bit(std::uint32_t color, std::uint32_t base) {
  const std::uint32_t place = color - base;
  return place < kColorWindow ? std::uint64_t{1} << place : 0;
}

/// The place of the first bit that is not set; there is one.
FATHOM_HD std::uint32_t first_unset(std::uint64_t bits) {
#if defined(__CUDA_ARCH__)
  return static_cast<std::uint32_t>(__ffsll(static_cast<long long>(~bits)) - 1);
#else
  return static_cast<std::uint32_t>(std::countr_one(bits));
#endif
}

/// The order of independent sets from its end: many edges first.
struct TurnKey {
  static constexpr bool kDeviceCode = true;
  std::uint32_t* key;
  FATHOM_HD void operator()(VertexId v) const { key[v] = ~key[v]; }
};

/// The first vertex with too many edges to be counted.
struct TooManyNeighbors {
  static constexpr bool kDeviceCode = true;
  const EdgeId* out;
  const EdgeId* in;  // null: undirected, or not stored

  FATHOM_HD VertexId operator()(VertexId v) const {
    const EdgeId degree = out[v + 1] - out[v] + (in ? in[v + 1] - in[v] : 0);
    return degree >= ~std::uint32_t{0} ? v : kNoVertex;
  }
};

/// How many neighbours go before u.
struct CountEarlier {
  static constexpr bool kDeviceCode = true;
  const std::uint32_t* key;
  std::uint32_t* waits;

  using Value = std::uint32_t;
  FATHOM_HD Value identity() const { return 0; }
  FATHOM_HD Value map(VertexId u, VertexId v, Weight) const {
    return goes_before(key, v, u) ? 1 : 0;
  }
  FATHOM_HD Value combine(Value a, Value b) const { return a + b; }
  FATHOM_HD bool commit(VertexId u, Value count) const {
    if (count != 0) AtomicRef(waits[u]).fetch_add(count);
    return false;
  }
};

/// The same seen from the other end.
struct AwaitEarlier {
  static constexpr bool kDeviceCode = true;
  const std::uint32_t* key;
  std::uint32_t* waits;

  FATHOM_HD bool visit(VertexId u, VertexId v, Weight) const {
    if (goes_before(key, u, v)) AtomicRef(waits[v]).fetch_add(1u);
    return false;
  }
};

/// u has its colour: v may not have it, and waits for one less. Where one device sees all arrivals,
/// the last one makes v go next; where several do, each counts them, and the first is noted.
struct TellColor {
  static constexpr bool kDeviceCode = true;
  const std::uint32_t* key;
  const std::uint32_t* color;
  std::uint64_t* used;  // of the first window
  std::uint32_t* count;
  bool down;

  FATHOM_HD bool visit(VertexId u, VertexId v, Weight) const {
    if (!goes_before(key, u, v)) return false;
    const std::uint64_t bit = color_bit(color[u], 0);
    const AtomicRef its(used[v]);
    if ((its.load() & bit) != bit) its.fetch_or(bit);
    return AtomicRef(count[v]).fetch_add(down ? ~0u : 1u) == (down ? 1u : 0u);
  }
};

/// Which colours of a window those that go before u have.
struct CollectColors {
  static constexpr bool kDeviceCode = true;
  const std::uint32_t* key;
  const std::uint32_t* color;
  std::uint64_t* used;
  std::uint32_t base;

  using Value = std::uint64_t;
  FATHOM_HD Value identity() const { return 0; }
  FATHOM_HD Value map(VertexId u, VertexId v, Weight) const {
    return goes_before(key, v, u) ? color_bit(color[v], base) : 0;
  }
  FATHOM_HD Value combine(Value a, Value b) const { return a | b; }
  FATHOM_HD bool commit(VertexId u, Value bits) const {
    if (bits != 0) AtomicRef(used[u]).fetch_or(bits);
    return false;
  }
};

/// The same seen from the other end, for the vertices of a frontier.
struct TellWindow {
  static constexpr bool kDeviceCode = true;
  const std::uint64_t* wanted;  // a bit per vertex
  CollectColors collect;

  FATHOM_HD bool visit(VertexId u, VertexId v, Weight w) const {
    return is_marked(wanted, v) != 0 && collect.commit(v, collect.map(v, u, w));
  }
};

/// The smallest colour that is free, if it is in the window.
struct PickColor {
  static constexpr bool kDeviceCode = true;
  const std::uint64_t* used;
  std::uint32_t* color;
  std::uint32_t base;

  FATHOM_HD void operator()(VertexId v) const {
    if (used[v] != ~std::uint64_t{0}) color[v] = base + first_unset(used[v]);
  }
};

struct IsWindowFull {
  static constexpr bool kDeviceCode = true;
  const std::uint64_t* used;
  FATHOM_HD bool operator()(VertexId v) const { return used[v] == ~std::uint64_t{0}; }
};

struct OpenWindow {
  static constexpr bool kDeviceCode = true;
  std::uint64_t* used;
  FATHOM_HD void operator()(VertexId v) const { used[v] = 0; }
};

}  // namespace fathom
