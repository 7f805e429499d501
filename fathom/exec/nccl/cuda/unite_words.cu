#include "fathom/exec/cuda/gpu.hpp"
#include "fathom/exec/nccl/cuda/rank_collectives.hpp"

namespace fathom::cuda {
namespace {

constexpr unsigned kUniteThreads = 256;

__global__ void __launch_bounds__(kUniteThreads)
    unite(std::uint64_t* into, const std::uint64_t* pieces, std::size_t n, int count) {
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step) {
    std::uint64_t word = into[i];
    for (int p = 0; p < count; ++p) word |= pieces[i + n * static_cast<std::size_t>(p)];
    into[i] = word;
  }
}

}  // namespace

void unite_words(std::uint64_t* into, const std::uint64_t* pieces, std::size_t n, int count,
                 cudaStream_t stream) {
  constexpr std::size_t kMostBlocks = 1056;
  const std::size_t blocks = (n + kUniteThreads - 1) / kUniteThreads;
  unite<<<static_cast<unsigned>(blocks < kMostBlocks ? blocks : kMostBlocks), kUniteThreads, 0,
          stream>>>(into, pieces, n, count);
  check(cudaGetLastError(), "uniting bits");
}

}  // namespace fathom::cuda
