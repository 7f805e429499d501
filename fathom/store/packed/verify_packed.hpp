// The full check of packed lists: part of what `fathom verify` does.
#pragma once

#include "fathom/core/task.hpp"
#include "fathom/store/packed/packed_lists.hpp"
#include "fathom/store/section_hash.hpp"

namespace fathom::store {

/// Unpacks every group: lists sorted by (target, weight), weights finite, nothing where nothing
/// belongs. Memory: some megabytes. `path` and `name`, "out-edges", are for messages.
/// @throws Error(BadInput) at the first thing wrong.
ListsContent verify_packed(const std::string& path, const std::string& name,
                           const PackedLists& lists, int threads, const Task& task);

}  // namespace fathom::store
