// What comes before and after pages are taken from an allocator, whichever it is.
#include "fathom/dynamic/pages/cuda/allocated_pages.cuh"

namespace fathom::dynamic::gpu {
namespace {

using SizesBlock = GpuBlock<kPageSizes>;

__global__ void __launch_bounds__(kBlock) write_requests(Side side) {
  blocks::write_requests(ThisBlock{}, side);
}

__global__ void begin_all(ArenaTurn* turn, std::uint32_t arenas, std::uint32_t newest) {
  blocks::begin_turns(SizesBlock{}, turn, arenas, newest);
}

__global__ void hold_back_unless(const ArenaTurn* turn, std::uint64_t most, Totals* totals,
                                 Totals* found, ArenaTurn* turns) {
  blocks::hold_back_unless(SizesBlock{}, turn, most, totals, found, turns);
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
