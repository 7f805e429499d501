// Reverse Cuthill-McKee with a queue.
#pragma once

#include "tests/reference/graph.hpp"

namespace reference {

/// The vertices in reverse Cuthill-McKee order of the graph without directions: components one
/// after the other, the largest first, of equal ones that with the smaller vertex. A search starts
/// from the vertex of least degree, then from that of least degree in its last level, as long as
/// searches get deeper, at most 8 in all. Degrees count edges at both ends.
std::vector<Vertex> rcm_order(const Graph& g);

}  // namespace reference
