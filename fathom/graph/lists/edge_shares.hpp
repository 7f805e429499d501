// Where the lists of a graph are cut when ranks, or the parts of a partition, share them out.
#pragma once

#include <algorithm>

#include "fathom/core/platform.hpp"

namespace fathom::graph {

/// The edge at which one of several equal shares begins: edges * share / shares, without overflow.
constexpr EdgeId share_begins(EdgeId edges, int shares, int share) {
  const auto n = static_cast<EdgeId>(shares), s = static_cast<EdgeId>(share);
  return edges / n * s + edges % n * s / n;
}

/// The first vertex of a share: as many edges as others have, as far as whole lists allow. Shares
/// follow each other; share number `shares` begins at the end.
inline VertexId share_begins(const EdgeId* offset, VertexId vertices, int shares, int share) {
  if (share == 0) return 0;
  if (share == shares) return vertices;
  const EdgeId at = share_begins(offset[vertices], shares, share);
  return static_cast<VertexId>(std::lower_bound(offset, offset + vertices, at) - offset);
}

}  // namespace fathom::graph
