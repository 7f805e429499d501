// A keyed bijection of [0, 2^bits): ids that a model hands out in a telling order (R-MAT's hubs
// are the ids with few one-bits) become patternless, without a table.
#pragma once

#include "fathom/core/random.hpp"

namespace fathom::generate {

/// Three rounds of add key, multiply by an odd constant, fold the upper half onto the lower; each
/// step is invertible modulo 2^bits, hence so is the whole.
class IdPermutation {
 public:
  IdPermutation(int bits, const RandomStream& random)
      : mask_((std::uint64_t{1} << bits) - 1),
        fold_((bits + 1) / 2),
        key_{random.at(0), random.at(1), random.at(2)} {}

  std::uint64_t operator()(std::uint64_t id) const {
    id = round(id, key_[0], 0x9e3779b97f4a7c15u);
    id = round(id, key_[1], 0xd6e8feb86659fd93u);
    id = round(id, key_[2], 0xff51afd7ed558ccdu);
    return id;
  }

 private:
  std::uint64_t round(std::uint64_t id, std::uint64_t key, std::uint64_t odd) const {
    id = ((id + key) * odd) & mask_;
    return id ^ (id >> fold_);
  }

  std::uint64_t mask_;
  int fold_;
  std::uint64_t key_[3];
};

}  // namespace fathom::generate
