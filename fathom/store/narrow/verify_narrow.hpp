// The full check of narrow lists: part of what `fathom verify` does.
#pragma once

#include "fathom/core/task.hpp"
#include "fathom/store/edge_sums.hpp"
#include "fathom/store/narrow/narrow.hpp"

namespace fathom::store {

struct NarrowContent {
  EdgeSums sums;
  // What checksum_hash would be of the same lists' targets and weights in CSR.
  std::uint64_t targets_hash = 0, weights_hash = 0;
};

/// Reads every list, of which ids and codes are known to be good: sorted by (target, weight).
/// Memory: a few mebibytes. @throws Error(BadInput) at the first thing wrong.
NarrowContent verify_narrow(const std::string& path, const std::string& name,
                            const NarrowLists& lists, int threads, const Task& task);

}  // namespace fathom::store
