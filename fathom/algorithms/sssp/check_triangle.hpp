// What certificates of distances by weight ask of every edge.
#pragma once

#include "fathom/algorithms/certificate.hpp"

namespace fathom {

/// No edge offers a shorter way to its end.
template <class Length>
struct CheckTriangle {
  static constexpr bool kReadsWeights = true;
  const Length* distance;
  Rule::Ref shortened;

  FATHOM_HD bool visit(VertexId u, VertexId v, Length w) const {
    if (distance[u] + w < distance[v]) shortened.broken_by(v);
    return false;
  }
};

}  // namespace fathom
