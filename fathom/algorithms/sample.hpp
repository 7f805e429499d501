// Distinct random vertices: the sources of algorithms that estimate.
#pragma once

#include <vector>

#include "fathom/core/platform.hpp"

namespace fathom {

/// k distinct vertices below n (k <= n), ascending; a function of n, k and the seed alone (Floyd's
/// sampling: Bentley and Floyd, "A sample of brilliance", CACM 30(9), 1987). Cost: k words.
std::vector<VertexId> sample_vertices(VertexId n, VertexId k, std::uint64_t seed);

}  // namespace fathom
