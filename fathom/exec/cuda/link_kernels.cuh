// Kernels that read host memory in place and do nothing else. What they read is summed up, and the
// sum written only if it is a value it never has, so that no read can be left out.
#pragma once

#include <cstdint>

#include "fathom/core/random.hpp"

namespace fathom::link {

constexpr std::uint64_t kLineBytes = 128, kLineWords = kLineBytes / sizeof(std::uint32_t);
constexpr std::uint64_t kPieceBytes = 1024;  // what one thread reads of its own when strided
constexpr std::uint64_t kPieceWords = kPieceBytes / sizeof(std::uint32_t);
constexpr int kBlockThreads = 256;
constexpr std::uint32_t kNever = 0x9e3779b9;  // the regions hold zeros

/// Line `first + i`.
struct ConsecutiveLines {
  std::uint64_t first;
  __device__ std::uint64_t operator()(std::uint64_t i) const { return first + i; }
};

struct RandomLines {
  std::uint64_t lines, seed;
  __device__ std::uint64_t operator()(std::uint64_t i) const {
    return bounded(RandomStream(seed, 0).at(i), lines);
  }
};

/// Every `stride`-th line in ascending order; past the end of the region again from its start, one
/// line further, so that no line is read twice before all were.
struct SparseLines {
  std::uint64_t per_pass, stride, first;
  __device__ std::uint64_t operator()(std::uint64_t i) const {
    const std::uint64_t pass = (first + i) / per_pass;
    return (first + i) % per_pass * stride + pass % stride;
  }
};

/// A warp reads a line of 128 B with one load; warps take lines in the order of i.
template <class Lines>
__global__ void read_lines(const std::uint32_t* words, Lines lines, std::uint64_t count,
                           std::uint32_t* sink) {
  const std::uint32_t lane = threadIdx.x % 32;
  const std::uint64_t warps = std::uint64_t{gridDim.x} * blockDim.x / 32;
  std::uint32_t sum = 0;
  for (std::uint64_t i = (std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x) / 32; i < count;
       i += warps)
    sum += words[lines(i) * kLineWords + lane];
  if (sum == kNever) *sink = sum;
}

/// A thread reads a piece of 1 KiB alone, 4 bytes at a time: EMOGI's strided or naive access.
__global__ void read_pieces(const std::uint32_t* words, std::uint64_t count, std::uint32_t* sink) {
  const std::uint64_t threads = std::uint64_t{gridDim.x} * blockDim.x;
  std::uint32_t sum = 0;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count;
       i += threads) {
#pragma unroll 1  // the next word is asked for when this one is there, as in a loop over edges
    for (std::uint64_t w = 0; w < kPieceWords; ++w) sum += words[i * kPieceWords + w];
  }
  if (sum == kNever) *sink = sum;
}

}  // namespace fathom::link
