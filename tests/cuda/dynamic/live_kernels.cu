#include "tests/cuda/dynamic/live_kernels.hpp"

#include "tests/cuda/device_array.cuh"

namespace fathom::testing {
namespace {

constexpr unsigned kBlock = 128;

template <class G>
__device__ LiveResult change(const G& group, const LiveLists& lists, const EdgeUpdate& e) {
  return e.deletion ? lists.erase(group, e.source, e.target)
                    : lists.insert(group, e.source, e.target, e.weight);
}

template <class G>
__global__ void change_by_groups(LiveLists lists, const EdgeUpdate* update, std::size_t n,
                                 LiveResult* result) {
  const G group;
  const std::size_t thread = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::size_t groups = std::size_t{gridDim.x} * blockDim.x / group.size();
  for (std::size_t i = thread / group.size(); i < n; i += groups) {
    const LiveResult its = change(group, lists, update[i]);
    if (group.rank() == 0) result[i] = its;
  }
}

__global__ void change_by_lanes(LiveLists lists, const EdgeUpdate* update, std::size_t n,
                                LiveResult* result) {
  const WarpLanes warp;
  const std::size_t thread = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t base = thread - warp.rank(); base < n; base += threads) {
    const std::size_t i = base + warp.rank();
    const EdgeUpdate e = i < n ? update[i] : EdgeUpdate{};
    const LiveResult inserted =
        lists.insert_each(warp, i < n && !e.deletion, e.source, e.target, e.weight);
    const LiveResult erased = lists.erase_each(warp, i < n && e.deletion, e.source, e.target);
    if (i < n) result[i] = e.deletion ? erased : inserted;
  }
}

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
  const std::size_t n = updates.size();
  constexpr unsigned kBlocks = 256;
  if (lanes == LiveLanes::Thread)
    change_by_groups<OneLane><<<kBlocks, kBlock>>>(lists, update.get(), n, result.get());
  if (lanes == LiveLanes::Tile)
    change_by_groups<TileLanes><<<kBlocks, kBlock>>>(lists, update.get(), n, result.get());
  if (lanes == LiveLanes::Warp)
    change_by_groups<WarpLanes><<<kBlocks, kBlock>>>(lists, update.get(), n, result.get());
  if (lanes == LiveLanes::Each)
    change_by_lanes<<<kBlocks, kBlock>>>(lists, update.get(), n, result.get());
  check(cudaGetLastError());
  check(cudaDeviceSynchronize());
  return result.read();
}

LiveReads read_on_device(const LiveLists& lists, const std::vector<Edge>& edges) {
  const OnDevice<Edge> edge(edges);
  const OnDevice<LiveEdge> found(edges.size());
  const OnDevice<std::uint64_t> sum(edges.size());
  read_by_tiles<<<64, kBlock>>>(lists, edge.get(), edges.size(), found.get(), sum.get());
  check(cudaGetLastError());
  check(cudaDeviceSynchronize());
  return {found.read(), sum.read()};
}

}  // namespace fathom::testing
