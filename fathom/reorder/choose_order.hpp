// The order in which a graph's lists pack best, found by trying.
#pragma once

#include "fathom/reorder/order.hpp"

namespace fathom::reorder {

/// Bits that an id would take in packed lists, their index included, if vertices had these
/// positions; of a directed graph's in both directions, if it has both. Large graphs: of 64
/// stretches of lists, evenly spaced by edges, 4 million ids of each direction. Cost: the degree of
/// each vertex, and those lists. @throws Error(Usage) where the host cannot read lists one at a
/// time; Error(BadInput), Error(Io), Error(Interrupted).
FATHOM_API double packed_bits(const Context& ctx, const Graph& graph, const Permutation& position);

struct Choice {
  Permutation order;
  Method method = Method::Natural;
  double natural_bits = 0, bits = 0;  // packed_bits() before and after
};

/// By degree, equal ones by id or by neighbours, where that saves a tenth of the bits (graphs like
/// Kronecker ones); else so or by bisection (webs and roads), whichever saves most, or as it is
/// where none saves a fiftieth.
/// `options.method` is not looked at.
/// @throws what make_order() and packed_bits() do. Cost: theirs; bisection is the dear part.
FATHOM_API Choice choose_order(const Context& ctx, const Graph& graph, const Options& options);

}  // namespace fathom::reorder
