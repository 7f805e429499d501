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

}  // namespace

std::vector<LiveResult> change_on_device(const LiveLists& lists,
                                         const std::vector<EdgeUpdate>& updates, LiveLanes lanes) {
  const OnDevice<EdgeUpdate> update(updates);
  const OnDevice<LiveResult> result(updates.size());
  const LiveUpdates all{update.get(), updates.size(), result.get()};
  if (lanes == LiveLanes::Thread) change_by_threads(lists, all);
  if (lanes == LiveLanes::Tile) change_by_tiles(lists, all);
  if (lanes == LiveLanes::Warp) change_by_warps(lists, all);
  if (lanes == LiveLanes::Each) change_by_lanes(lists, all);
  check(cudaGetLastError());
  check(cudaDeviceSynchronize());
  return result.read();
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
