// Which edges a rank shows, of lists that all ranks have in reach.
#pragma once

#include "fathom/exec/context.hpp"
#include "fathom/exec/frontier.hpp"

namespace fathom {

/// The vertices whose lists a rank shows: as many edges as others show, as far as whole lists
/// allow. All of them for a rank alone. Ranges of consecutive ranks follow each other.
FATHOM_API VertexRange share_of_rank(const Context& ctx, const EdgeId* offset, VertexId vertices);
/// The same of one of so many ranks, wherever it runs.
FATHOM_API VertexRange share_of_rank(int rank, int ranks, const EdgeId* offset, VertexId vertices);

}  // namespace fathom
