// How many edges a cursor has still to show, and how many came before, whatever the layout.
#pragma once

#include "fathom/residency/edge_view.hpp"

namespace fathom {

FATHOM_HD EdgeId length_of(const EdgeCursor& list) {
  return list.end - list.pos;
}
FATHOM_HD EdgeId length_of(const DynamicEdges::Cursor& list) {
  return list.left;
}

/// How many edges of the list of u lie before the one that is shown next; `cursor` is one of that
/// list, or of a piece of it.
template <EdgeView E>
FATHOM_HD EdgeId shown_before(const E& edges, VertexId u, const typename E::Cursor& cursor) {
  return cursor.pos - edges.begin(u).pos;
}
FATHOM_HD EdgeId shown_before(const DynamicEdges& edges, VertexId u,
                              const DynamicEdges::Cursor& cursor) {
  // Linked lists are never cut into pieces, and count per page.
  return edges.layout.link_words != 0 ? edges.begin(u).left - cursor.left : cursor.at;
}

}  // namespace fathom
