// Weak components one after the other: HALO's remedy where unlike ones would be interleaved
// (section 11).
#pragma once

#include <span>

#include "fathom/algorithms/components/components.hpp"
#include "fathom/core/array.hpp"

namespace fathom::reorder {

/// The vertices of `order` component by component, the largest first (of equal ones that with the
/// smaller label); inside each in their order. 44 bytes per vertex on the host.
Array<VertexId> by_component(const Context& ctx, const ComponentsResult& components,
                             std::span<const VertexId> order);

}  // namespace fathom::reorder
