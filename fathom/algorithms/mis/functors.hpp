// What choosing an independent set does on an edge and a vertex, for any executor.
//
// Invariant between rounds: a vertex is undecided exactly if neither it nor a neighbour was chosen.
#pragma once

#include "fathom/core/atomic.hpp"
#include "fathom/core/random.hpp"

namespace fathom {

/// Whether u is asked before v; keys that are equal leave it to the ids.
FATHOM_HD bool goes_before(const std::uint32_t* key, VertexId u, VertexId v) {
  return key[u] != key[v] ? key[u] < key[v] : u < v;
}

FATHOM_HD std::uint32_t is_marked(const std::uint64_t* bits, VertexId v) {
  return static_cast<std::uint32_t>(bits[v >> 6] >> (v & 63) & 1);
}

/// Four classes of degrees for each power of two, 0 to 255.
FATHOM_HD std::uint32_t degree_class(EdgeId degree) {
  std::uint32_t power = 0;
  while (degree >> power > 1) ++power;
  const EdgeId quarter = power < 2 ? degree << (2 - power) : degree >> (power - 2);
  return 4 * power + static_cast<std::uint32_t>(quarter & 3);
}

/// The key of a vertex. It holds the number of in-edges before, where these were counted.
struct MakeKey {
  static constexpr bool kDeviceCode = true;
  const EdgeId* out;
  const EdgeId* in;  // null: undirected, or counted
  std::uint32_t* key;
  std::uint64_t seed;
  bool by_degree;

  FATHOM_HD void operator()(VertexId v) const {
    const std::uint64_t hash = RandomStream(seed, 0).at(v);
    if (!by_degree) {
      key[v] = static_cast<std::uint32_t>(hash >> 32);
      return;
    }
    const EdgeId degree = out[v + 1] - out[v] + (in ? in[v + 1] - in[v] : key[v]);
    key[v] = degree_class(degree) << 24 | static_cast<std::uint32_t>(hash >> 40);
  }
};

struct CountInEdges {
  static constexpr bool kDeviceCode = true;
  std::uint32_t* degree;

  FATHOM_HD bool visit(VertexId, VertexId v, Weight) const {
    AtomicRef(degree[v]).fetch_add(1u);
    return false;
  }
};

/// An undecided vertex waits for an undecided neighbour that goes before it.
struct FindEarlier {
  static constexpr bool kDeviceCode = true;
  const std::uint64_t* undecided;  // a bit per vertex
  const std::uint32_t* key;

  using Value = std::uint32_t;
  FATHOM_HD Value identity() const { return 0; }
  FATHOM_HD Value map(VertexId u, VertexId v, Weight) const {
    return is_marked(undecided, v) != 0 && goes_before(key, v, u) ? 1 : 0;
  }
  FATHOM_HD Value combine(Value a, Value b) const { return a | b; }
  FATHOM_HD bool done(Value found) const { return found != 0; }
  FATHOM_HD bool commit(VertexId, Value found) const { return found != 0; }
};

/// The same seen from the other end.
struct HoldBack {
  static constexpr bool kDeviceCode = true;
  const std::uint64_t* undecided;
  const std::uint32_t* key;

  FATHOM_HD bool visit(VertexId u, VertexId v, Weight) const {
    return is_marked(undecided, v) != 0 && goes_before(key, u, v);
  }
};

/// A neighbour was chosen.
struct RuleOut {
  static constexpr bool kDeviceCode = true;
  const std::uint64_t* undecided;

  FATHOM_HD bool visit(VertexId, VertexId v, Weight) const { return is_marked(undecided, v) != 0; }
};

/// The same without in-edges: who is undecided looks for neighbours that were chosen.
struct FindChosen {
  static constexpr bool kDeviceCode = true;
  const std::uint64_t* chosen;

  using Value = std::uint32_t;
  FATHOM_HD Value identity() const { return 0; }
  FATHOM_HD Value map(VertexId, VertexId v, Weight) const { return is_marked(chosen, v); }
  FATHOM_HD Value combine(Value a, Value b) const { return a | b; }
  FATHOM_HD bool done(Value found) const { return found != 0; }
  FATHOM_HD bool commit(VertexId, Value found) const { return found != 0; }
};

struct IsNotMarked {
  static constexpr bool kDeviceCode = true;
  const std::uint64_t* bits;
  FATHOM_HD bool operator()(VertexId v) const { return is_marked(bits, v) == 0; }
};

/// A bit per vertex becomes a number per vertex.
struct SpreadBits {
  static constexpr bool kDeviceCode = true;
  const std::uint64_t* bits;
  std::uint32_t* value;
  FATHOM_HD void operator()(VertexId v) const { value[v] = is_marked(bits, v); }
};

}  // namespace fathom
