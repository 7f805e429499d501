// What certificates count triangles by: merging pairs of lists that are shown to be right.
#pragma once

#include <cstdint>
#include <string>

#include "fathom/exec/vertex_array.hpp"
#include "fathom/residency/graph.hpp"

namespace fathom::detail {

using Counts = VertexArray<std::uint64_t, MergeSum>;

struct Recounted {
  Counts triangles, degree;  // [vertices]: those that contain it, and its neighbours
  std::uint64_t total = 0;
};

/// Of lists that hold each edge of a graph once.
/// @throws Error(VerificationFailed) in the name of an algorithm when they go around, or do not
/// strictly ascend.
Recounted recount_triangles(const Context& ctx, EdgeSource& oriented, const std::string& algorithm);

/// Of the graph's oriented lists. @throws Error(VerificationFailed) also when they are not those of
/// its edges (compared as sets of hashes: one missing or foreign edge goes unnoticed with a
/// probability of 2^-4).
Recounted recount_triangles(const Context& ctx, const Graph& graph, const std::string& algorithm);

}  // namespace fathom::detail
