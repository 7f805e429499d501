// Other memory managers on a GPU, timed as `fathom bench memory` times ours: 100,000 allocations by
// as many threads, the first of a fresh heap (cold), again once all were freed (warm), and giving
// back. One program per manager: nvcc -arch=sm_90 -std=c++17 -O3 --expt-relaxed-constexpr, and
//   -I gallatin/include -DPEER_GALLATIN bench/peers/peer_heaps.cu -o alloc_gallatin
//   -I Ouroboros/include -include iostream -DPEER_TYPE=MultiOuroPQ bench/peers/peer_heaps.cu -o
//   alloc_sp
// CUDA 13 has no cudaDeviceProp::clockRate: leave the line of Ouroboros' Statistics.h that prints
// it out.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>

#ifdef PEER_GALLATIN
#include <gallatin/allocators/gallatin.cuh>
using Heap =
    gallatin::allocators::Gallatin<16ull << 20, 16ull, 4096ull>;  // as its global allocator
#else
// In this order.
#include "device/Ouroboros_impl.cuh"

#include "device/MemoryInitialization.cuh"

#include "InstanceDefinitions.cuh"
using Heap = PEER_TYPE;
#endif

namespace {

constexpr int kAllocations = 100'000, kBlock = 256, kTrials = 5, kWarm = 3;
constexpr std::size_t kHeapBytes = std::size_t{8} << 30;

/// A fresh heap.
class Owner {
 public:
#ifdef PEER_GALLATIN
  Owner() : heap_(Heap::generate_on_device(kHeapBytes, 42, false)) {}
  ~Owner() {
    Heap::free_on_device(heap_);
  }
  Heap* on_device() {
    return heap_;
  }

 private:
  Heap* heap_;
#else
  Owner() {
    heap_.initialize(kHeapBytes);
  }
  Heap* on_device() {
    return heap_.getDeviceMemoryManager();
  }

 private:
  Heap heap_;
#endif
};

__device__ std::uint32_t mixed(std::uint32_t x) {
  x = (x ^ x >> 16) * 0x7feb352du;
  x = (x ^ x >> 15) * 0x846ca68bu;
  return x ^ x >> 16;
}

__global__ void allocate(Heap* heap, void** blocks, int least, int most) {
  const int i = static_cast<int>(threadIdx.x + blockIdx.x * blockDim.x);
  if (i >= kAllocations) return;
  blocks[i] = heap->malloc(least + static_cast<int>(mixed(i) % (most - least + 1)) / 4 * 4);
}

__global__ void give_back(Heap* heap, void** blocks, int* failed) {
  const int i = static_cast<int>(threadIdx.x + blockIdx.x * blockDim.x);
  if (i >= kAllocations) return;
  if (blocks[i])
    heap->free(blocks[i]);
  else
    atomicAdd(failed, 1);
}

template <class Launch>
float milliseconds(const Launch& launch) {
  cudaEvent_t from, to;
  cudaEventCreate(&from);
  cudaEventCreate(&to);
  cudaEventRecord(from);
  launch();
  cudaEventRecord(to);
  cudaEventSynchronize(to);
  float ms = 0;
  cudaEventElapsedTime(&ms, from, to);
  return ms;
}

float median(std::vector<float> of) {
  std::sort(of.begin(), of.end());
  return of[of.size() / 2];
}

}  // namespace

int main() {
  constexpr int kGrid = (kAllocations + kBlock - 1) / kBlock;
  void** blocks = nullptr;
  int* failed = nullptr;
  cudaMalloc(&blocks, kAllocations * sizeof(void*));
  cudaMallocManaged(&failed, sizeof *failed);
  constexpr int kSizes[][2] = {{16, 16}, {64, 64}, {256, 256}, {1024, 1024}, {8192, 8192},
                               {4, 64},  {4, 256}, {4, 1024},  {4, 8192}};
  for (const auto& [least, most] : kSizes) {
    std::vector<float> cold, warm, back;
    *failed = 0;
    for (int trial = 0; trial < kTrials; ++trial) {
      Owner owner;
      Heap* const heap = owner.on_device();
      cudaDeviceSynchronize();
      for (int turn = 0; turn <= kWarm; ++turn) {
        (turn == 0 ? cold : warm).push_back(milliseconds([&, least = least, most = most] {
          allocate<<<kGrid, kBlock>>>(heap, blocks, least, most);
        }));
        back.push_back(milliseconds([&] { give_back<<<kGrid, kBlock>>>(heap, blocks, failed); }));
      }
    }
    const cudaError_t error = cudaDeviceSynchronize();
    if (error != cudaSuccess) {
      std::fprintf(stderr, "%d to %d bytes: %s\n", least, most, cudaGetErrorString(error));
      return 1;
    }
    std::printf("sizes %d %d cold %.4f warm %.4f free %.4f failed %d\n", least, most, median(cold),
                median(warm), median(back), *failed);
    std::fflush(stdout);
  }
}
