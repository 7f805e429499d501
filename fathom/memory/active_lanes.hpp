// ActiveLanes: the lanes of a warp that happen to run together, whatever the shape of the block and
// however divergent the code, as a lane group. Its ranks have gaps.
#pragma once

#include "fathom/core/lanes.hpp"

namespace fathom::memory {

#if defined(__CUDACC__)
class ActiveLanes {
 public:
  __device__ ActiveLanes() : mask_(__activemask()) {}
  __device__ explicit ActiveLanes(std::uint32_t mask) : mask_(mask) {}
  /// Those with the same key. Collective; the groups that it gives may go on in lock step.
  __device__ ActiveLanes split(unsigned long long key) const {
    return ActiveLanes(__match_any_sync(mask_, key));
  }
  __device__ std::uint32_t rank() const {
    std::uint32_t lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    return lane;
  }
  __device__ std::uint32_t size() const { return 32; }
  __device__ std::uint32_t ballot(bool b) const { return __ballot_sync(mask_, b); }
  /// The value is arbitrary where `lane` is not one of the group.
  __device__ std::uint32_t shfl(std::uint32_t x, std::uint32_t lane) const {
    return __shfl_sync(mask_, x, static_cast<int>(lane));
  }

 private:
  std::uint32_t mask_;
};
#endif

// Who calls malloc() and free() without naming a group.
#if defined(__CUDA_ARCH__)
using Callers = ActiveLanes;
#else
using Callers = OneLane;
#endif

}  // namespace fathom::memory
