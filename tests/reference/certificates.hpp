// Checks that accept any valid answer where several are. Each returns an empty string, or what is
// wrong: EXPECT_EQ(check_...(...), "") then says why.
#pragma once

#include "tests/reference/graph.hpp"

namespace reference {

/// Parents form a breadth-first forest for the given depths: a reached vertex other than a source
/// has a parent one level up with an edge to it; an unreached one has kNone; a source has itself or
/// kNone.
std::string check_parents(const Graph& g, const std::vector<Vertex>& sources,
                          const std::vector<std::int32_t>& depth,
                          const std::vector<Vertex>& parent);

/// Distances are those of shortest paths: 0 at the sources, no edge shortens one, and every other
/// finite one has an edge that explains it; `relative` is the tolerance. Certain for positive
/// weights only: vertices on a cycle of zero weight can explain each other.
std::string check_distances(const Graph& g, const std::vector<Vertex>& sources,
                            const std::vector<double>& distance, double relative);

/// Two labellings divide the vertices into the same classes.
std::string check_same_partition(const std::vector<Vertex>& a, const std::vector<Vertex>& b);

}  // namespace reference
