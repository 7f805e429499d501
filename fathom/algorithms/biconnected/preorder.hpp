// A forest numbered in preorder, by one thread and whatever its height.
#pragma once

#include <span>

#include "fathom/core/array.hpp"
#include "fathom/exec/context.hpp"

namespace fathom {

struct Preorder {
  Array<VertexId> number;  // [vertices]
  // By number:
  Array<VertexId> up;    // the number of the parent; a root its own
  Array<VertexId> last;  // the largest number at or below it
};

/// `parent`: a root its own; without cycles.
/// Cost: five vertex ids per vertex, the parents among them.
Preorder number_forest(const Context& ctx, std::span<const VertexId> parent);

}  // namespace fathom
