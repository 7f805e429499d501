// What comes before and after pages are taken from an allocator, whichever it is.
#include "fathom/dynamic/cuda/allocated_pages.cuh"

namespace fathom::dynamic::gpu {
namespace {

__global__ void __launch_bounds__(kBlock) write_requests(Side side) {
  if (side.totals->fresh > side.fresh_room) return;
  for (std::size_t i = thread_index(); i < side.totals->touched; i += thread_count()) {
    const TouchedList t = side.touched[i];
    if (!t.changes || t.fresh == 0) continue;
    const std::uint64_t bytes = side.lists.bytes_for(t.room);
    for (std::uint32_t k = 0; k < t.fresh; ++k) side.fresh[t.first_fresh + k] = {bytes, kNoPage};
  }
}

__global__ void begin_all(ArenaTurn* turn, std::uint32_t arenas, std::uint32_t newest) {
  ArenaTurn& mine = turn[threadIdx.x];
  if (newest != kNoPage) {
    mine.first = newest;
    mine.tried = 0;
  }
  mine.begin(arenas);
}

/// One warp.
__global__ void hold_back_unless(const ArenaTurn* turn, std::uint64_t most, Totals* totals,
                                 Totals* found, ArenaTurn* turns) {
  static_assert(kPageSizes == 32);
  const unsigned k = threadIdx.x;
  const ArenaTurn mine = turn[k];
  const auto each = static_cast<unsigned long long>(kDynamicUnit) << k;
  const unsigned long long wanted =
      reduce(WarpLanes{}, totals->wanted[k] * each, [](auto a, auto b) { return a + b; });
  const bool lacks = __any_sync(~0u, mine.missing != 0) || wanted > most;
  turns[k] = mine;
  if (k == 0 && lacks) totals->go = found->go = 0;
}

}  // namespace

void request_pages(cuda::Gpu& gpu, const Side& side) {
  write_requests<<<blocks_for(gpu, side.changes), kBlock, 0, gpu.stream()>>>(side);
}

void begin_turns(cuda::Gpu& gpu, ArenaTurn* turn, std::uint32_t arenas, std::uint32_t newest) {
  begin_all<<<1, kPageSizes, 0, gpu.stream()>>>(turn, arenas, newest);
}

void hold_back(cuda::Gpu& gpu, const ArenaTurn* turn, std::uint64_t most, Totals* totals,
               Totals* found, ArenaTurn* turns) {
  hold_back_unless<<<1, kPageSizes, 0, gpu.stream()>>>(turn, most, totals, found, turns);
  cuda::check(cudaGetLastError(), "looking for missing pages");
}

}  // namespace fathom::dynamic::gpu
