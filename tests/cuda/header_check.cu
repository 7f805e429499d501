// Compiled only, never run: the headers shared by host and device code stay compilable by nvcc, as
// device code, and free of <cuda/...>. all_functors.hpp (made by CMake) includes every functor
// header of fathom/algorithms.
#include "all_functors.hpp"
#include "fathom/algorithms/bfs/functors.hpp"
#include "fathom/core/random.hpp"
#include "fathom/ops/expand.hpp"
#include "fathom/ops/fold.hpp"

namespace {

struct CountKept {
  std::uint64_t* total;
  template <fathom::LaneGroup Lanes>
  FATHOM_HD void operator()(const Lanes& lanes, fathom::VertexId, bool keep) const {
    const std::uint32_t votes = lanes.ballot(keep);
    if (lanes.rank() == 0 && votes != 0) fathom::AtomicRef<std::uint64_t>(*total).fetch_add(votes);
  }
};

template <fathom::LaneGroup Lanes, fathom::EdgeView Edges>
__global__ void traverse(Edges edges, fathom::BfsPush push, fathom::BfsPull pull, CountKept count) {
  const Lanes lanes;
  const fathom::VertexId u = (blockIdx.x * blockDim.x + threadIdx.x) / lanes.size();
  fathom::expand(lanes, edges, u, push, count);
  count(lanes, u, fathom::fold(lanes, edges, u, pull));
}

#define FATHOM_TRAVERSE(LANES, EDGES)                                                      \
  template __global__ void traverse<LANES, EDGES>(EDGES, fathom::BfsPush, fathom::BfsPull, \
                                                  CountKept)
FATHOM_TRAVERSE(fathom::OneLane, fathom::FlatEdges);
FATHOM_TRAVERSE(fathom::WarpLanes, fathom::FlatEdges);
FATHOM_TRAVERSE(fathom::WarpLanes, fathom::InterleavedEdges);
FATHOM_TRAVERSE(fathom::WarpLanes, fathom::PagedEdges);
FATHOM_TRAVERSE(fathom::WarpLanes, fathom::SlottedEdges);

}  // namespace
