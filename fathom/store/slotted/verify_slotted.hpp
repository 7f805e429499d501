// The full check of slotted pages: part of what `fathom verify` does.
#pragma once

#include "fathom/core/task.hpp"
#include "fathom/store/section_hash.hpp"
#include "fathom/store/slotted/slotted.hpp"

namespace fathom::store {

/// Reads every page: slots, records, record ids, degrees as the offsets have them, lists sorted by
/// (target, weight), weights finite. Memory: a few pages.
/// @throws Error(BadInput) at the first thing wrong.
ListsContent verify_slotted(const std::string& path, const std::string& name,
                            const SlottedLists& lists, int threads, const Task& task);

}  // namespace fathom::store
