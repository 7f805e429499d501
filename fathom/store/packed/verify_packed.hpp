// The full check of packed lists: part of what `fathom verify` does.
#pragma once

#include "fathom/core/task.hpp"
#include "fathom/store/edge_sums.hpp"
#include "fathom/store/packed/packed_lists.hpp"

namespace fathom::store {

struct PackedContent {
  EdgeSums sums;
  // What checksum_hash would be of the same lists' targets and weights in CSR.
  std::uint64_t targets_hash = 0, weights_hash = 0;
};

/// Unpacks every group: lists sorted by (target, weight), weights finite, nothing where nothing
/// belongs. Memory: some megabytes. `path` and `name`, "out-edges", are for messages.
/// @throws Error(BadInput) at the first thing wrong.
PackedContent verify_packed(const std::string& path, const std::string& name,
                            const PackedLists& lists, int threads, const Task& task);

}  // namespace fathom::store
