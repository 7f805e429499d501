#include "tests/cuda/dynamic/live_kernels.cuh"

#include "tests/cuda/device_array.cuh"

namespace fathom::testing {
namespace {

__global__ void read_by_tiles(LiveLists lists, const Edge* edge, std::size_t n, LiveEdge* found,
                              std::uint64_t* sum) {
  const TileLanes tile;
  const std::size_t thread = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::size_t tiles = std::size_t{gridDim.x} * blockDim.x / tile.size();
  for (std::size_t i = thread / tile.size(); i < n; i += tiles) {
    const LiveEdge its = lists.find(tile, edge[i].source, edge[i].target);
    std::uint64_t mine = 0;
    lists.locked(tile, edge[i].source, [&](VertexId v, Weight, const EdgeFields&) { mine += v; });
    mine = reduce(tile, mine, [](std::uint64_t a, std::uint64_t b) { return a + b; });
    if (tile.rank() == 0) found[i] = its, sum[i] = mine;
  }
}

__global__ void grow_by_tiles(LiveLists lists, const VertexId* anchor, std::size_t n,
                              VertexId* made) {
  const TileLanes tile;
  const std::size_t thread = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::size_t tiles = std::size_t{gridDim.x} * blockDim.x / tile.size();
  for (std::size_t i = thread / tile.size(); i < n; i += tiles) {
    const VertexId v = lists.insert_vertex(tile);
    if (v != kNoVertex) lists.insert(tile, anchor[i], v);
    if (tile.rank() == 0) made[i] = v;
  }
}

/// Runs launch(updates on the device), and waits.
template <class Launch>
std::vector<LiveResult> results_of(const std::vector<EdgeUpdate>& updates, const Launch& launch) {
  const OnDevice<EdgeUpdate> update(updates);
  const OnDevice<LiveResult> result(updates.size());
  launch(LiveUpdates{update.get(), updates.size(), result.get()});
  check(cudaGetLastError());
  check(cudaDeviceSynchronize());
  return result.read();
}

}  // namespace

std::vector<LiveResult> change_on_device(const LiveLists& lists,
                                         const std::vector<EdgeUpdate>& updates, LiveLanes lanes) {
  return results_of(updates, [&](const LiveUpdates& all) {
    if (lanes == LiveLanes::Thread) change_by_threads(lists, all);
    if (lanes == LiveLanes::Tile) change_by_tiles(lists, all);
    if (lanes == LiveLanes::Warp) change_by_warps(lists, all);
    if (lanes == LiveLanes::Each) change_by_lanes(lists, all);
  });
}

std::vector<LiveResult> change_on_device(const LiveChanges& changing,
                                         const std::vector<EdgeUpdate>& updates) {
  switch (changing.manager().allocator) {
    case PageAllocator::SP:
    case PageAllocator::SC:
      return results_of(updates, [&](const auto& u) { change_on_standard(changing, u); });
    case PageAllocator::VAP:
    case PageAllocator::VAC:
      return results_of(updates, [&](const auto& u) { change_on_virtual_arrays(changing, u); });
    case PageAllocator::VLP:
    case PageAllocator::VLC:
      return results_of(updates, [&](const auto& u) { change_on_virtual_lists(changing, u); });
    case PageAllocator::Pool:
    case PageAllocator::Cuda:
      break;
  }
  return change_on_device(changing.lists(), updates, LiveLanes::Thread);
}

std::vector<VertexId> grow_on_device(const LiveLists& lists, const std::vector<VertexId>& anchors) {
  const OnDevice<VertexId> anchor(anchors);
  const OnDevice<VertexId> made(anchors.size());
  grow_by_tiles<<<64, kLiveBlock>>>(lists, anchor.get(), anchors.size(), made.get());
  check(cudaGetLastError());
  check(cudaDeviceSynchronize());
  return made.read();
}

LiveReads read_on_device(const LiveLists& lists, const std::vector<Edge>& edges) {
  const OnDevice<Edge> edge(edges);
  const OnDevice<LiveEdge> found(edges.size());
  const OnDevice<std::uint64_t> sum(edges.size());
  read_by_tiles<<<64, kLiveBlock>>>(lists, edge.get(), edges.size(), found.get(), sum.get());
  check(cudaGetLastError());
  check(cudaDeviceSynchronize());
  return {found.read(), sum.read()};
}

}  // namespace fathom::testing
