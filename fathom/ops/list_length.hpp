// How many edges a cursor has still to show, whatever the layout.
#pragma once

#include "fathom/residency/edge_view.hpp"

namespace fathom {

FATHOM_HD EdgeId length_of(const EdgeCursor& list) {
  return list.end - list.pos;
}
FATHOM_HD EdgeId length_of(const DynamicEdges::Cursor& list) {
  return list.left;
}

}  // namespace fathom
