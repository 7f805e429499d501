// Runs of whole lists, for algorithms that need two lists at a time (ADR 0004).
#pragma once

#include <cstddef>
#include <vector>

#include "fathom/core/function_ref.hpp"
#include "fathom/core/platform.hpp"

namespace fathom {

/// Borders of runs of lists of at most `capacity` edges each, from 0 to `vertices`; `offset_at(v)`
/// is where the list of v begins. Page frames hold `parts` such runs, 2 or 3. Cost: a binary search
/// for each run.
/// @throws Error(DoesNotFit) when one list is longer than that, naming what would be needed.
FATHOM_API std::vector<VertexId> cut_into_whole_lists(VertexId vertices, std::size_t capacity,
                                                      int parts,
                                                      FunctionRef<EdgeId(VertexId)> offset_at);

}  // namespace fathom
