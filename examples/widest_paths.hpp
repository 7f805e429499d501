// What widest paths do on an edge, for any executor.
#pragma once

#include <cmath>

#include <fathom/fathom.hpp>

struct MergeMax {
  fathom::Weight operator()(fathom::Weight a, fathom::Weight b) const { return a < b ? b : a; }
};

/// A path is as wide as its narrowest edge; v keeps the widest path seen.
struct Widen {
  static constexpr bool kDeviceCode = true;  // own_algorithm.cu compiles it for GPUs
  static constexpr bool kReadsWeights = true;
  fathom::Weight* width;

  FATHOM_HD bool visit(fathom::VertexId u, fathom::VertexId v, fathom::Weight w) const {
    const fathom::Weight so_far = fathom::AtomicRef(width[u]).load();
    const fathom::Weight through_u = so_far < w ? so_far : w;
    const fathom::AtomicRef best(width[v]);
    for (fathom::Weight old = best.load(); old < through_u;)
      if (best.compare_exchange(old, through_u)) return true;
    return false;
  }
};
