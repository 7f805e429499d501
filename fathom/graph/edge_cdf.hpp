// How the edges of a graph spread over long and short lists (EMOGI, Figure 6).
#pragma once

#include <vector>

#include "fathom/graph/csr.hpp"

namespace fathom::graph {

/// [d]: the fraction of the edges that are in lists of at most d edges, for d = 0 .. limit. All 1
/// for a graph without edges. Reads the offsets once.
FATHOM_API std::vector<double> edge_cdf(const CsrView& lists, EdgeId limit);

}  // namespace fathom::graph
