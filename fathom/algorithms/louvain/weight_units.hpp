// Weights in units, of which the whole graph has fewer than 2^61: sums are integers, which no order
// of adding changes. What sums them up, for any executor.
#pragma once

#include <cmath>

#include "fathom/core/atomic.hpp"

namespace fathom {

/// How many units a weight has.
struct WeightUnits {
  double each = 1;  // of a weight of 1: a power of two

  FATHOM_HD std::uint64_t of(Weight w) const {
    return static_cast<std::uint64_t>(llround(static_cast<double>(w) * each));
  }
};

/// A code that is the smaller the larger the weight is; 0 of what is no weight.
FATHOM_HD std::uint32_t weight_code(Weight w) {
  constexpr std::uint32_t kInfinite = 0x7f800000;
  const std::uint32_t bits = w == 0 ? 0 : __builtin_bit_cast(std::uint32_t, w);
  return bits >= kInfinite ? 0 : ~bits;
}

struct FindHeaviest {
  static constexpr bool kDeviceCode = true;
  static constexpr bool kReadsWeights = true;
  std::uint32_t* code;

  FATHOM_HD bool visit(VertexId, VertexId, Weight w) const {
    AtomicRef(*code).fetch_min(weight_code(w));
    return false;
  }
};

/// The units of a vertex's edges; a loop has two ends there.
struct AddStrength {
  static constexpr bool kDeviceCode = true;
  static constexpr bool kReadsWeights = true;
  std::uint64_t* strength;
  WeightUnits units;

  using Value = std::uint64_t;
  FATHOM_HD Value identity() const { return 0; }
  FATHOM_HD Value map(VertexId u, VertexId v, Weight w) const {
    return (u == v ? 2 : 1) * units.of(w);
  }
  FATHOM_HD Value combine(Value a, Value b) const { return a + b; }
  FATHOM_HD bool commit(VertexId u, Value sum) const {
    AtomicRef(strength[u]).fetch_add(sum);
    return false;
  }
};

struct VertexStrength {
  static constexpr bool kDeviceCode = true;
  const std::uint64_t* strength;
  FATHOM_HD std::uint64_t operator()(VertexId v) const { return strength[v]; }
};

/// Units of the edges inside communities.
struct SumInside {
  static constexpr bool kDeviceCode = true;
  static constexpr bool kReadsWeights = true;
  const VertexId* community;
  WeightUnits units;

  using Value = std::uint64_t;
  using Tally = std::uint64_t;
  FATHOM_HD Value identity() const { return 0; }
  FATHOM_HD Value map(VertexId u, VertexId v, Weight w) const {
    return community[u] == community[v] ? (u == v ? 2 : 1) * units.of(w) : 0;
  }
  FATHOM_HD Value combine(Value a, Value b) const { return a + b; }
  FATHOM_HD bool commit(VertexId, Value sum, Tally& tally) const {
    tally += sum;
    return false;
  }
};

}  // namespace fathom
