// What the ways to components share.
#pragma once

#include "fathom/algorithms/components/components.hpp"

namespace fathom {

// With fewer edges than this for each vertex, as roads have, most are linked anyway: then all are,
// at once.
inline constexpr EdgeId kFewEdgesToSample = 3;

// A list of hooks that ranks with a device each tell has room for one of so many vertices: a
// quarter of a byte per vertex.
inline constexpr VertexId kVerticesPerHook = 32;

/// frontier = the vertices of a range.
void keep_to(const Context& ctx, VertexRange range, Frontier& frontier);

/// What labels say of the components. `giant`: the label that is likely to be the most frequent
/// one. When it covers half of the vertices there is nothing else to count.
void count_components(const Context& ctx, VertexId giant, ComponentsResult& result);

}  // namespace fathom
