// The order that the vertices of a store were in before it was reordered: that of their labels, and
// of results.
#pragma once

#include <memory>
#include <string>

#include "fathom/core/array.hpp"
#include "fathom/core/platform.hpp"

namespace fathom::store {

class Store;

/// Whether its vertices are in another order than their labels.
FATHOM_API bool is_reordered(const Store& store);

struct FirstOrder {
  Array<VertexId> row;     // [vertices]: the place of each vertex before any reordering
  Array<VertexId> vertex;  // [vertices]: the vertex of each place
  bool natural() const { return row.empty(); }
};

/// Empty arrays when the store was never reordered: places are then ids.
/// @throws Error(BadInput) for a damaged file; Error(DoesNotFit), Error(Io).
FATHOM_API FirstOrder first_order(const std::string& path,
                                  const std::shared_ptr<MemoryPool>& memory);

}  // namespace fathom::store
