#include "fathom/dynamic/batches/blocks/chain_body.hpp"
#include "fathom/dynamic/batches/cuda/gpu_batch.hpp"
#include "fathom/dynamic/lists/cuda/lists.cuh"

namespace fathom::dynamic::gpu {
namespace {

__global__ void __launch_bounds__(kBlock)
    chain_all(ChainedUpdates in, Side out, Side reverse, UpdateCheck* found, Totals* next) {
  blocks::chain_all(ThisBlock{}, in, out, reverse, found);
  if (in.first == 0) blocks::clear(ThisBlock{}, next);
}

__global__ void __launch_bounds__(kBlock)
    plan_chains(Side side, Chains chains, DuplicatePolicy policy, bool directed, bool count,
                Totals* totals) {
  side.lists.layout.link_words = 0;  // for contiguous lists alone: the compiler knows it now
  blocks::plan_chains(ThisBlock{}, side, chains, policy, directed, count, totals);
}

}  // namespace

void chain_updates(cuda::Gpu& gpu, const ChainedUpdates& updates, const Side* sides,
                   UpdateCheck* found, Totals* next) {
  chain_all<<<blocks_for(gpu, updates.updates), kBlock, 0, gpu.stream()>>>(
      updates, sides[0], sides[updates.sides - 1], found, next);
}

void plan_chained(cuda::Gpu& gpu, const Side& side, const Chains& chains, DuplicatePolicy policy,
                  bool directed, bool count, Totals* totals) {
  plan_chains<<<blocks_for(gpu, side.changes), kBlock, 0, gpu.stream()>>>(side, chains, policy,
                                                                          directed, count, totals);
  cuda::check(cudaGetLastError(), "planning a batch");
}

}  // namespace fathom::dynamic::gpu
