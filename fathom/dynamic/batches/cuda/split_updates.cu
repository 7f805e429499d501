#include "fathom/dynamic/batches/cuda/split_updates.hpp"
#include "fathom/dynamic/lists/cuda/lists.cuh"

namespace fathom::dynamic::gpu {
namespace {

/// Update i of the lists that all devices have together.
__device__ EdgeUpdate dealt(const EdgeUpdate* update, std::size_t i, const Dealing& dealing) {
  EdgeUpdate e = update[i / dealing.each()];
  if (dealing.swapped || (dealing.mirrored && i % 2 == 1)) {
    const VertexId source = e.source;
    e.source = e.target;
    e.target = source;
  }
  return e;
}

__global__ void __launch_bounds__(kBlock)
    flag_dealt(const EdgeUpdate* update, std::size_t all, Dealing dealing, std::uint64_t* flag) {
  for (std::size_t i = thread_index(); i <= all; i += thread_count()) {
    bool mine = false;
    if (i < all) {
      const EdgeUpdate e = dealt(update, i, dealing);
      const bool again = dealing.mirrored && i % 2 == 1 && e.source == e.target;
      mine = !again && e.source % dealing.devices == dealing.mine;
    }
    flag[i] = mine ? 1 : 0;
  }
}

__global__ void __launch_bounds__(kBlock)
    write_dealt(UpdateArrays from, std::size_t all, Dealing dealing, const std::uint64_t* flag,
                const std::uint64_t* place, EdgeUpdate* update, EdgeFields* fields) {
  for (std::size_t i = thread_index(); i < all; i += thread_count()) {
    if (flag[i] == 0) continue;
    update[place[i]] = dealt(from.update, i, dealing);
    if (fields) fields[place[i]] = from.fields[i / dealing.each()];
  }
}

}  // namespace

std::uint64_t count_dealt(const cuda::Gpu& gpu, cuda::ArrayScratch& scratch,
                          const EdgeUpdate* update, std::size_t n, const Dealing& dealing,
                          std::uint64_t* flag, std::uint64_t* place) {
  const std::size_t all = n * dealing.each();
  flag_dealt<<<blocks_for(gpu, all + 1), kBlock, 0, gpu.stream()>>>(update, all, dealing, flag);
  cuda::exclusive_sum(scratch, flag, place, all + 1, gpu.stream());
  std::uint64_t count = 0;
  gpu.copy(&count, place + all, sizeof(count));
  return count;
}

void take_dealt(const cuda::Gpu& gpu, const UpdateArrays& from, std::size_t n,
                const Dealing& dealing, const std::uint64_t* flag, const std::uint64_t* place,
                EdgeUpdate* update, EdgeFields* fields) {
  const std::size_t all = n * dealing.each();
  write_dealt<<<blocks_for(gpu, all), kBlock, 0, gpu.stream()>>>(from, all, dealing, flag, place,
                                                                 update, fields);
  cuda::check(cudaGetLastError(), "splitting a batch");
}

}  // namespace fathom::dynamic::gpu
