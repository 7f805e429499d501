// The order in which a graph's lists pack best, found by trying.
#pragma once

#include "fathom/reorder/order.hpp"

namespace fathom::reorder {

/// Bits that an id would take in packed lists, their index included, if vertices had these
/// positions. Large graphs: of 64 stretches of lists, evenly spaced by edges, 4 million ids in all.
/// Cost: the degree of each vertex, and those lists. @throws Error(Usage) where the host cannot
/// read lists one at a time; Error(BadInput), Error(Io), Error(Interrupted).
FATHOM_API double packed_bits(const Context& ctx, const Graph& graph, const Permutation& position);

struct Choice {
  Permutation order;
  Method method = Method::Natural;
  double natural_bits = 0, bits = 0;  // packed_bits() before and after
};

/// By degree where that gains (graphs like Kronecker ones), else by bisection where that does (webs
/// and roads), else as it is: an order that does not save a fiftieth of the bits is not worth its
/// cost. `options.method` is not looked at.
/// @throws what make_order() and packed_bits() do. Cost: theirs; bisection is the dear part.
FATHOM_API Choice choose_order(const Context& ctx, const Graph& graph, const Options& options);

}  // namespace fathom::reorder
