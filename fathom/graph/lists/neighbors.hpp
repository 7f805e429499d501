// The neighbours of a vertex whatever the direction of its edges.
#pragma once

#include <algorithm>
#include <span>

#include "fathom/core/platform.hpp"

namespace fathom::graph {

/// Calls neighbor(v, mutual) for each distinct vertex but u in two ascending lists, those of the
/// edges that leave u and that enter it, ascending; mutual: it is in both.
template <class F>
void each_neighbor(std::span<const VertexId> out, std::span<const VertexId> in, VertexId u,
                   const F& neighbor) {
  std::size_t i = 0, j = 0;
  while (i < out.size() || j < in.size()) {
    VertexId v = i < out.size() ? out[i] : in[j];
    if (j < in.size()) v = std::min(v, in[j]);
    const std::size_t i_before = i, j_before = j;
    while (i < out.size() && out[i] == v) ++i;
    while (j < in.size() && in[j] == v) ++j;
    if (v != u) neighbor(v, i > i_before && j > j_before);
  }
}

}  // namespace fathom::graph
