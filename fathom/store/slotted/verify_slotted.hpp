// The full check of slotted pages: part of what `fathom verify` does.
#pragma once

#include "fathom/core/task.hpp"
#include "fathom/store/edge_sums.hpp"
#include "fathom/store/slotted/slotted.hpp"

namespace fathom::store {

struct SlottedContent {
  EdgeSums sums;
  // What checksum_hash would be of the same lists' targets and weights in CSR.
  std::uint64_t targets_hash = 0, weights_hash = 0;
};

/// Reads every page: slots, records, record ids, degrees as the offsets have them, lists sorted by
/// (target, weight), weights finite. Memory: a few pages.
/// @throws Error(BadInput) at the first thing wrong.
SlottedContent verify_slotted(const std::string& path, const std::string& name,
                              const SlottedLists& lists, int threads, const Task& task);

}  // namespace fathom::store
