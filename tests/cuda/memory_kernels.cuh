// Kernels over the memory manager, any variant: each kind of queue has a .cu file.
#pragma once

#include "fathom/memory/ouroboros.cuh"
#include "tests/cuda/device_array.cuh"
#include "tests/cuda/memory_kernels.hpp"

namespace fathom::testing {

struct MemoryCounts {
  unsigned long long served, overlaps;
};

__device__ inline std::uint32_t thread_number() {
  const std::uint32_t in_block =
      (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  return blockIdx.x * (blockDim.x * blockDim.y * blockDim.z) + in_block;
}

__device__ inline std::uint64_t size_for(std::uint32_t i, std::uint32_t round, std::uint64_t most) {
  return 16 + (i * 2654435761u + round * 40503u) % (most - 15);
}

template <class MM>
__global__ void allocate_and_mark(MM mm, std::uint64_t** held, std::uint32_t n, std::uint32_t round,
                                  std::uint64_t most, MemoryCounts* counts) {
  const std::uint32_t i = thread_number();
  if (i >= n || i % 3 == 0) return;  // divergent callers
  const std::uint64_t bytes = size_for(i, round, most);
  auto* p = static_cast<std::uint64_t*>(mm.malloc(bytes));
  held[i] = p;
  if (p == nullptr) return;
  p[0] = i;
  p[bytes / 8 - 1] = i;
  atomicAdd(&counts->served, 1ull);
}

template <class MM>
__global__ void check_and_free(MM mm, std::uint64_t** held, std::uint32_t n, std::uint32_t round,
                               std::uint64_t most, MemoryCounts* counts) {
  const std::uint32_t i = thread_number();
  if (i >= n || held[i] == nullptr) return;
  if (held[i][0] != i || held[i][size_for(i, round, most) / 8 - 1] != i)
    atomicAdd(&counts->overlaps, 1ull);
  mm.free(held[i]);
  held[i] = nullptr;
}

inline dim3 block_of(MemoryBlocks blocks) {
  if (blocks == MemoryBlocks::OneDimensional) return dim3(256);
  return blocks == MemoryBlocks::TwoDimensional ? dim3(24, 8) : dim3(5, 7, 6);
}

template <class V>
MemoryRun exercise(const MemoryLoad& load) {
  const auto& [blocks, threads, most, rounds, heap_bytes, mapped] = load;
  using MM = memory::Ouroboros<V>;
  memory::DeviceHeap<MM> heap(memory::HeapOptions{heap_bytes}, mapped);
  const OnDevice<std::uint64_t*> held(threads);
  const OnDevice<MemoryCounts> counts(1);
  const dim3 block = block_of(blocks);
  const std::uint32_t size = block.x * block.y * block.z, grid = (threads + size - 1) / size;
  for (std::uint32_t round = 0; round < rounds; ++round) {
    allocate_and_mark<<<grid, block>>>(heap.manager(), held.get(), threads, round, most,
                                       counts.get());
    check_and_free<<<grid, block>>>(heap.manager(), held.get(), threads, round, most, counts.get());
  }
  const MemoryCounts result = counts.read()[0];
  return {result.served, result.overlaps, heap.stats().bytes_live,
          static_cast<std::uint32_t>(heap.valid())};
}

MemoryRun exercise_standard(MemoryVariantName variant, const MemoryLoad& load);
MemoryRun exercise_virtual_arrays(MemoryVariantName variant, const MemoryLoad& load);
MemoryRun exercise_virtual_lists(MemoryVariantName variant, const MemoryLoad& load);

}  // namespace fathom::testing
