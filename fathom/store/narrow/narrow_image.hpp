// Narrow lists in memory, made of lists in CSR.
#pragma once

#include <vector>

#include "fathom/store/narrow/narrow.hpp"

namespace fathom::store {

/// Owns what its lists show, but for the offsets, which stay those of the CSR.
struct NarrowImage {
  std::vector<std::uint64_t> words;
  std::vector<Weight> values;
  NarrowLists lists;
};

/// @throws Error(Usage) for more distinct weights than kMostNarrowWeights, and ids that take more
///         than 40 bits.
FATHOM_API NarrowImage narrowed(const CsrView& csr);

}  // namespace fathom::store
