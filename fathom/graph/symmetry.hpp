// Whether a directed graph happens to be symmetric: every (u, v, w) has its (v, u, w).
#pragma once

#include "fathom/graph/csr.hpp"

namespace fathom::graph {

/// Whether two CSRs hold the same edges.
bool same(const Csr& a, const Csr& b);

/// Looks up the reverse of each edge; stops at the first that is missing. O(edges * log(degree))
/// at worst, no extra memory.
bool is_symmetric(const CsrView& graph, int workers);

}  // namespace fathom::graph
