// The manager in a kernel, passed by value (Winter, algorithm 12).
#include "device_memory.hpp"

#include <fathom/memory/ouroboros.cuh>

#include <cstdio>

using MM = fathom::memory::Ouroboros<fathom::memory::VLP>;

__global__ void build_lists(MM mm, unsigned length, unsigned* wrong) {
  const unsigned mine = length / 10 + threadIdx.x % 7;
  if (build_and_free(mm, mine) != mine) atomicAdd(wrong, 1);
}

bool lists_on_device(unsigned length) {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) return true;
  const std::uint64_t reserved = std::uint64_t{4} << 30, mapped = std::uint64_t{256} << 20;
  fathom::memory::DeviceHeap<MM> heap(fathom::memory::HeapOptions{reserved}, mapped);
  unsigned* wrong = nullptr;
  cudaMallocManaged(&wrong, sizeof *wrong);
  *wrong = 0;
  build_lists<<<256, 256>>>(heap.manager(), length, wrong);
  cudaDeviceSynchronize();
  const bool ok = *wrong == 0 && heap.stats().bytes_live == 0;
  std::printf("device: %u lists went wrong\n", *wrong);
  cudaFree(wrong);
  return ok;
}
