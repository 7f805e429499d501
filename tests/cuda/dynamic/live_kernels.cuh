// A kernel that changes a graph by lane groups of one kind; each kind has a .cu file.
#pragma once

#include "fathom/core/lanes.hpp"
#include "fathom/dynamic/live/live_managers.hpp"
#include "tests/cuda/dynamic/live_kernels.hpp"

namespace fathom::testing {

inline constexpr unsigned kLiveBlock = 128, kLiveBlocks = 256;

/// The updates, on the device, and where what they came to goes.
struct LiveUpdates {
  const EdgeUpdate* update;
  std::size_t n;
  LiveResult* result;
};

template <class G, class Lists>
__device__ LiveResult change(const G& group, const Lists& lists, const EdgeUpdate& e) {
  return e.deletion ? lists.erase(group, e.source, e.target)
                    : lists.insert(group, e.source, e.target, e.weight);
}

template <class G, class Lists>
__global__ void change_by_groups(Lists lists, LiveUpdates updates) {
  const G group;
  const std::size_t thread = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::size_t groups = std::size_t{gridDim.x} * blockDim.x / group.size();
  for (std::size_t i = thread / group.size(); i < updates.n; i += groups) {
    const LiveResult its = change(group, lists, updates.update[i]);
    if (group.rank() == 0) updates.result[i] = its;
  }
}

/// By threads, of which several ask a manager for pages at once.
template <class Variant>
void change_on_manager(const LiveChanges& changing, const LiveUpdates& updates) {
  change_by_groups<OneLane><<<kLiveBlocks, kLiveBlock>>>(live_lists_of<Variant>(changing), updates);
}
// A .cu file each, of two managers.
void change_on_standard(const LiveChanges& changing, const LiveUpdates& updates);
void change_on_virtual_arrays(const LiveChanges& changing, const LiveUpdates& updates);
void change_on_virtual_lists(const LiveChanges& changing, const LiveUpdates& updates);

void change_by_threads(const LiveLists& lists, const LiveUpdates& updates);
void change_by_tiles(const LiveLists& lists, const LiveUpdates& updates);
void change_by_warps(const LiveLists& lists, const LiveUpdates& updates);
/// An edge per lane.
void change_by_lanes(const LiveLists& lists, const LiveUpdates& updates);

}  // namespace fathom::testing
