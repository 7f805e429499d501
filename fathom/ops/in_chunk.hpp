// What advance() shows a functor where vertex state is split; here for .cu files, which do without
// the operators of the host.
#pragma once

#include "fathom/exec/frontier.hpp"
#include "fathom/ops/expand.hpp"
#include "fathom/ops/only_edges.hpp"

namespace fathom {

/// Shows a functor the edges that point into a chunk. On GPUs for functors that say kSplitOnGpu,
/// with FATHOM_CUDA_ADVANCE(InChunk<F>) in a .cu file.
template <EdgeFunctor F>
struct InChunk {
  static constexpr bool kReadsWeights = fathom::kReadsWeights<F>;
  static constexpr bool kDeviceCode = requires { F::kSplitOnGpu; };
  static constexpr OnlyEdges kOnlyEdges = OnlyEdges::Streamed;  // other edges have no chunks
  F f;
  VertexRange chunk;

  FATHOM_HD bool visit(VertexId u, VertexId v, Weight w) const {
    return v >= chunk.first && v < chunk.last && f.visit(u, v, w);
  }
};

}  // namespace fathom
