// The full check of narrow lists: part of what `fathom verify` does.
#pragma once

#include "fathom/core/task.hpp"
#include "fathom/store/narrow/narrow.hpp"
#include "fathom/store/section_hash.hpp"

namespace fathom::store {

/// Reads every list, of which ids and codes are known to be good: sorted by (target, weight).
/// Memory: a few mebibytes. @throws Error(BadInput) at the first thing wrong.
ListsContent verify_narrow(const std::string& path, const std::string& name,
                           const NarrowLists& lists, int threads, const Task& task);

}  // namespace fathom::store
