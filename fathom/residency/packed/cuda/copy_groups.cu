#include "fathom/residency/packed/cuda/copy_groups.hpp"

#include "fathom/exec/cuda/gpu.hpp"

namespace fathom::cuda {
namespace {

constexpr unsigned kCopyThreads = 256;

/// Words [0, count), by a warp.
__device__ void copy_words(const std::uint32_t* from, std::uint64_t count, std::uint32_t* to) {
  for (std::uint64_t i = threadIdx.x % 32; i < count; i += 32) to[i] = from[i];
}

// A warp a group: groups lie one behind the other in host memory, so that all of it moves through
// them in one direction.
__global__ void __launch_bounds__(kCopyThreads)
    copy_near_groups(PackedEdges from, const std::uint64_t* place, std::uint32_t weight_bytes,
                     std::uint32_t* to) {
  const std::uint64_t groups = store::packed::groups_of(from.edges);
  const std::uint64_t warps = std::uint64_t{gridDim.x} * (kCopyThreads / 32);
  for (std::uint64_t g = blockIdx.x * (kCopyThreads / 32) + threadIdx.x / 32; g < groups;
       g += warps) {
    if ((place[g] & PackedEdges::kNear) == 0) continue;
    std::uint32_t* const its = to + (place[g] & ~PackedEdges::kNear);
    copy_words(from.words + from.place[g], from.place[g + 1] - from.place[g], its);
    if (weight_bytes == 0) continue;
    constexpr std::uint32_t kGroup = store::packed::kGroup;
    const EdgeId first = g * kGroup, left = from.edges - first;
    const std::byte* const weights = from.weight + first * weight_bytes;
    auto* const ahead = reinterpret_cast<std::byte*>(its) - kGroup * weight_bytes;
    const std::uint64_t bytes = (left < kGroup ? left : kGroup) * weight_bytes;
    copy_words(reinterpret_cast<const std::uint32_t*>(weights), bytes / 4,
               reinterpret_cast<std::uint32_t*>(ahead));
    for (std::uint64_t i = bytes / 4 * 4 + threadIdx.x % 32; i < bytes; i += 32)
      ahead[i] = weights[i];
  }
}

}  // namespace

void copy_groups(const Gpu& gpu, const PackedEdges& from, const std::uint64_t* place, bool weights,
                 std::uint32_t* to) {
  if (from.edges == 0) return;
  const std::uint32_t weight_bytes = !weights || !from.weight ? 0
                                     : from.code_bytes > 0    ? from.code_bytes
                                                              : sizeof(Weight);
  const auto kernel = copy_near_groups;
  kernel<<<gpu.grid(reinterpret_cast<const void*>(kernel)), kCopyThreads, 0, gpu.stream()>>>(
      from, place, weight_bytes, to);
  check(cudaGetLastError(), "starting to copy groups");
  gpu.wait();
}

}  // namespace fathom::cuda
