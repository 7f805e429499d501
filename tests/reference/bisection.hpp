// Recursive bisection as HALO describes it (section 8): one vertex after the other.
#pragma once

#include <vector>

#include "tests/reference/graph.hpp"

namespace reference {

/// The vertices 0 .. n - 1 in their new order. `queries`: sets of vertices. Terms of gains
/// are rounded to multiples of 2^-24 and their sums to float, so that ties are the same everywhere;
/// equal gains go by place. Parts of at most 8 vertices stay as they are.
std::vector<Vertex> bisect(Vertex n, const std::vector<std::vector<Vertex>>& queries);

}  // namespace reference
