// Components where ranks link by themselves: each the lists of its own vertices, with no exchange,
// and then the trees that came of it are told once.
#pragma once

#include "fathom/algorithms/components/components.hpp"

namespace fathom {

/// Whether there are several ranks on hosts, each with whole lists of its own vertices.
bool links_by_rank(const Context& ctx, const Graph& graph);

/// What connected_components() returns, on all ranks. What a rank has linked of another one's
/// vertices it tells that one, which thereby knows trees of two ranks that have a vertex in common;
/// all ranks are told those, and each finds the labels of its own vertices.
/// Cost: labels of other ranks' vertices, where they are no more than half of them only those that
/// were linked; pairs of trees; labels of own vertices: 8 (R - 1) / R bytes sent per vertex at
/// most, and the pairs. 8 bytes of memory per vertex.
ComponentsResult components_by_rank(const Context& ctx, const Graph& graph,
                                    const ComponentsOptions& options);

}  // namespace fathom
