// What a sweep takes of the memory that vertex state is in, for who sizes state by what there is.
#pragma once

#include <cstddef>

#include "fathom/residency/edge_source.hpp"

namespace fathom {

/// The least that edges are read through, without weights, where that is in the memory of the
/// vertex state: 0 on devices, whose frames are counted apart, and for edges that are in reach at
/// once. The sources of a graph take turns with it.
std::size_t least_sweep_memory(const Context& ctx, const EdgeSource& edges);

}  // namespace fathom
