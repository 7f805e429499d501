#include "fathom/exec/cuda/vertex_ops.hpp"

#include <cstring>

#include "fathom/core/error.hpp"
#include "fathom/exec/cuda/gpu.hpp"

namespace fathom::cuda {
namespace {

constexpr unsigned kBlock = 256;

/// A grid that covers `items` threads, but not more blocks than keep the device full.
unsigned blocks_for(const Gpu& gpu, std::size_t items) {
  const std::size_t wanted = (items + kBlock - 1) / kBlock;
  const std::size_t full = static_cast<std::size_t>(gpu.multiprocessors()) * 8;
  return static_cast<unsigned>(wanted < full ? wanted : full);
}

__device__ std::size_t thread_index() {
  return static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}
__device__ std::size_t thread_count() {
  return static_cast<std::size_t>(gridDim.x) * blockDim.x;
}

struct Pattern {
  std::uint32_t word[16];
};

// Values of whole words: word i of the array is word i % period of the value.
__global__ void fill_words(std::uint32_t* words, std::size_t count, Pattern value,
                           std::uint32_t period) {
  for (std::size_t i = thread_index(); i < count; i += thread_count())
    words[i] = value.word[i % period];
}

__global__ void last_word(std::uint64_t* word, std::uint64_t value) {
  *word = value;
}

__global__ void or_listed(std::uint64_t* bits, const VertexId* list, std::size_t size) {
  for (std::size_t i = thread_index(); i < size; i += thread_count())
    atomicOr(reinterpret_cast<unsigned long long*>(bits + (list[i] >> 6)), 1ull << (list[i] & 63));
}

template <bool kUnite>
__global__ void combine(std::uint64_t* into, const std::uint64_t* other, std::size_t words) {
  for (std::size_t i = thread_index(); i < words; i += thread_count())
    into[i] = kUnite ? into[i] | other[i] : into[i] & ~other[i];
}

/// Adds one value per thread to *total: a shuffle per warp, then one atomic.
__device__ void add_up(unsigned long long value, unsigned long long* total) {
  for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(~0u, value, step);
  if (threadIdx.x % 32 == 0 && value != 0) atomicAdd(total, value);
}

__global__ void count_bits(const std::uint64_t* bits, std::size_t words,
                           unsigned long long* total) {
  unsigned long long mine = 0;
  for (std::size_t i = thread_index(); i < words; i += thread_count())
    mine += static_cast<unsigned>(__popcll(bits[i]));
  add_up(mine, total);
}

// A warp takes 32 vertices at a time, so that offsets are read in whole lines.
__global__ void add_degrees(const std::uint64_t* bits, std::size_t words, const EdgeId* offset,
                            unsigned long long* vertices, unsigned long long* edges) {
  const auto* half = reinterpret_cast<const std::uint32_t*>(bits);
  const unsigned lane = threadIdx.x % 32;
  unsigned long long mine = 0, degrees = 0;
  for (std::size_t w = thread_index() / 32; w < words * 2; w += thread_count() / 32) {
    if ((half[w] >> lane & 1) == 0) continue;
    const std::size_t v = w * 32 + lane;
    ++mine;
    degrees += offset[v + 1] - offset[v];
  }
  add_up(mine, vertices);
  add_up(degrees, edges);
}

__global__ void pick_values(const std::byte* values, std::size_t size, const std::size_t* at,
                            std::size_t count, std::byte* to) {
  for (std::size_t i = thread_index(); i < count * size; i += thread_count())
    to[i] = values[at[i / size] * size + i % size];
}

/// Runs a kernel that adds to two counters, and returns the sums.
template <class Launch>
Degrees summed(Gpu& gpu, const Launch& launch) {
  auto* totals = static_cast<unsigned long long*>(gpu.scratch(sizeof(Degrees)));
  check(cudaMemsetAsync(totals, 0, sizeof(Degrees), gpu.stream()), "clearing counters");
  launch(totals);
  check(cudaGetLastError(), "starting a kernel");
  check(cudaMemcpyAsync(gpu.mailbox(), totals, sizeof(Degrees), cudaMemcpyDefault, gpu.stream()),
        "copying counters");
  gpu.wait();
  return *static_cast<const Degrees*>(gpu.mailbox());
}

}  // namespace

void fill(Gpu& gpu, void* values, std::size_t count, const void* value, std::size_t size) {
  const auto* bytes = static_cast<const unsigned char*>(value);
  bool same = true;
  for (std::size_t i = 1; i < size; ++i) same = same && bytes[i] == bytes[0];
  if (same) {
    check(cudaMemsetAsync(values, bytes[0], count * size, gpu.stream()), "filling memory");
    return;
  }
  Pattern pattern{};
  if (size % 4 != 0 || size > sizeof(pattern))
    throw Error(ErrorCode::Internal, "a fill value of " + std::to_string(size) + " bytes");
  std::memcpy(&pattern, value, size);
  fill_words<<<blocks_for(gpu, count * size / 4), kBlock, 0, gpu.stream()>>>(
      static_cast<std::uint32_t*>(values), count * size / 4, pattern,
      static_cast<std::uint32_t>(size / 4));
  check(cudaGetLastError(), "filling memory");
}

void set_all(Gpu& gpu, std::uint64_t* bits, std::size_t vertices) {
  if (vertices == 0) return;
  const std::size_t words = (vertices + 63) / 64;
  check(cudaMemsetAsync(bits, 0xff, words * 8, gpu.stream()), "setting a bitmap");
  if (vertices % 64 != 0)
    last_word<<<1, 1, 0, gpu.stream()>>>(bits + words - 1,
                                         (std::uint64_t{1} << (vertices % 64)) - 1);
}

void set_listed(Gpu& gpu, std::uint64_t* bits, const VertexId* list, std::size_t size) {
  if (size == 0) return;
  or_listed<<<blocks_for(gpu, size), kBlock, 0, gpu.stream()>>>(bits, list, size);
  check(cudaGetLastError(), "setting bits");
}

void subtract(Gpu& gpu, std::uint64_t* into, const std::uint64_t* gone, std::size_t words) {
  if (words == 0) return;
  combine<false><<<blocks_for(gpu, words), kBlock, 0, gpu.stream()>>>(into, gone, words);
  check(cudaGetLastError(), "subtracting bitmaps");
}

void unite(Gpu& gpu, std::uint64_t* into, const std::uint64_t* more, std::size_t words) {
  if (words == 0) return;
  combine<true><<<blocks_for(gpu, words), kBlock, 0, gpu.stream()>>>(into, more, words);
  check(cudaGetLastError(), "uniting bitmaps");
}

std::uint64_t count(Gpu& gpu, const std::uint64_t* bits, std::size_t words) {
  if (words == 0) return 0;
  const auto launch = [&](unsigned long long* total) {
    count_bits<<<blocks_for(gpu, words), kBlock, 0, gpu.stream()>>>(bits, words, total);
  };
  return summed(gpu, launch).vertices;
}

Degrees degree_sum(Gpu& gpu, const std::uint64_t* bits, std::size_t words, const EdgeId* offset) {
  if (words == 0) return {0, 0};
  return summed(gpu, [&](unsigned long long* totals) {
    add_degrees<<<blocks_for(gpu, words * 64), kBlock, 0, gpu.stream()>>>(bits, words, offset,
                                                                          totals, totals + 1);
  });
}

void gather(Gpu& gpu, const void* values, std::size_t size, std::span<const std::size_t> at,
            void* to) {
  if (at.empty()) return;
  const std::size_t index_bytes = at.size() * sizeof(std::size_t);
  auto* device = static_cast<std::byte*>(gpu.scratch(index_bytes + at.size() * size));
  check(cudaMemcpyAsync(device, at.data(), index_bytes, cudaMemcpyDefault, gpu.stream()),
        "copying positions");
  pick_values<<<blocks_for(gpu, at.size() * size), kBlock, 0, gpu.stream()>>>(
      static_cast<const std::byte*>(values), size, reinterpret_cast<const std::size_t*>(device),
      at.size(), device + index_bytes);
  check(cudaGetLastError(), "picking values");
  gpu.copy(to, device + index_bytes, at.size() * size);
}

}  // namespace fathom::cuda
