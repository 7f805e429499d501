// Compiled only, never run: the headers shared by host and device code stay compilable by nvcc, as
// device code, and free of <cuda/...>. What is listed here is what kernels may include.
#include "fathom/core/atomic.hpp"
#include "fathom/core/lanes.hpp"
#include "fathom/core/platform.hpp"

namespace {

template <fathom::LaneGroup Lanes>
__global__ void count_flagged(const std::uint32_t* flags, fathom::EdgeId n, std::uint64_t* total) {
  const Lanes lanes;
  const fathom::EdgeId i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const bool flagged = i < n && flags[i] != 0;
  const std::uint32_t votes = fathom::reduce(
      lanes, flagged ? 1u : 0u, [](std::uint32_t a, std::uint32_t b) { return a + b; });
  if (lanes.rank() == 0) fathom::AtomicRef<std::uint64_t>(*total).fetch_add(votes);
}

template __global__ void count_flagged<fathom::OneLane>(const std::uint32_t*, fathom::EdgeId,
                                                        std::uint64_t*);
template __global__ void count_flagged<fathom::WarpLanes>(const std::uint32_t*, fathom::EdgeId,
                                                          std::uint64_t*);

}  // namespace
