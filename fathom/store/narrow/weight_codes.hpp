// The dictionary of narrow lists' weights: each distinct weight gets a number.
#pragma once

#include <cmath>
#include <span>
#include <vector>

#include "fathom/store/narrow/narrow.hpp"

namespace fathom::store {

/// The order of weights that have codes: ascending, -0 before 0.
inline bool precedes(Weight a, Weight b) {
  return a < b || (a == b && std::signbit(a) && !std::signbit(b));
}

/// Weights that differ in any bit are distinct, so that they come back as they were.
class WeightCodes {
 public:
  WeightCodes();
  /// False once there are more than kMostNarrowWeights.
  bool add(std::span<const Weight> weight);
  /// Numbers the weights that were added, in order. Nothing is added from then on.
  void number();
  /// Of codes 0, 1, ...
  const std::vector<Weight>& values() const { return values_; }
  /// Bytes that hold any of them: 1 or 2.
  std::uint32_t code_bytes() const { return values_.size() <= 256 ? 1 : 2; }
  /// The code of each weight. False when one was not added.
  bool codes(std::span<const Weight> weight, std::span<std::uint32_t> code) const;

 private:
  static constexpr std::uint32_t kSlots = 4 * kMostNarrowWeights;
  struct Slot {
    std::uint32_t bits = 0, code = kFree;
  };
  static constexpr std::uint32_t kFree = ~std::uint32_t{0};
  /// Where a weight of these bits is, or would be.
  std::size_t slot_of(std::uint32_t bits) const;

  std::vector<Slot> slot_;  // open addressing; at most half full
  std::vector<Weight> values_;
};

}  // namespace fathom::store
