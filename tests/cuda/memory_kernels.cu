// Kernels over the memory manager: divergent callers in blocks of every shape, growth and moves.
#include "tests/cuda/memory_kernels.hpp"

#include "fathom/memory/ouroboros.cuh"
#include "tests/cuda/device_array.cuh"

namespace fathom::testing {
namespace {

using namespace memory;

struct Counts {
  unsigned long long served, overlaps;
};

__device__ std::uint32_t thread_number() {
  const std::uint32_t in_block =
      (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  return blockIdx.x * (blockDim.x * blockDim.y * blockDim.z) + in_block;
}

__device__ std::uint64_t size_for(std::uint32_t i, std::uint32_t round, std::uint64_t most) {
  return 16 + (i * 2654435761u + round * 40503u) % (most - 15);
}

template <class MM>
__global__ void allocate_and_mark(MM mm, std::uint64_t** held, std::uint32_t n, std::uint32_t round,
                                  std::uint64_t most, Counts* counts) {
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
                               std::uint64_t most, Counts* counts) {
  const std::uint32_t i = thread_number();
  if (i >= n || held[i] == nullptr) return;
  if (held[i][0] != i || held[i][size_for(i, round, most) / 8 - 1] != i)
    atomicAdd(&counts->overlaps, 1ull);
  mm.free(held[i]);
  held[i] = nullptr;
}

template <class MM>
__global__ void fill(MM mm, std::uint64_t* indices, std::uint32_t n, unsigned long long* count) {
  const std::uint32_t i = thread_number();
  if (i >= n || indices[i] != 0) return;
  auto* p = static_cast<std::uint32_t*>(mm.malloc(1024));
  if (p == nullptr) return;
  *p = i;
  indices[i] = mm.index_of(p);
  atomicAdd(count, 1ull);
}

template <class MM>
__global__ void count_kept(MM mm, const std::uint64_t* indices, std::uint32_t n,
                           unsigned long long* count) {
  const std::uint32_t i = thread_number();
  if (i < n && indices[i] != 0 && *static_cast<std::uint32_t*>(mm.pointer_to(indices[i])) == i)
    atomicAdd(count, 1ull);
}

template <class A, class B>
__global__ void take_from_two(A a, B b, std::uint32_t rounds, Counts* counts) {
  const std::uint32_t i = thread_number();
  const WarpLanes warp;
  for (std::uint32_t round = 0; round < rounds; ++round) {
    const std::uint64_t bytes = size_for(i, round, 2048);
    const bool idle = (i + round) % 5 == 0;
    void* const p = a.malloc(warp, idle ? 0 : bytes);
    void* const q = b.malloc(warp, bytes);
    for (void* held : {p, q})
      if (held != nullptr) static_cast<std::uint32_t*>(held)[bytes / 4 - 1] = i;
    __syncwarp();
    for (void* held : {p, q}) {
      if (held == nullptr) continue;
      atomicAdd(&counts->served, 1ull);
      if (static_cast<std::uint32_t*>(held)[bytes / 4 - 1] != i) atomicAdd(&counts->overlaps, 1ull);
    }
    a.free(warp, p);
    b.free(warp, q);
  }
}

template <class MM>
__global__ void free_wrongly(MM mm, std::uint32_t n, std::uint32_t* elsewhere) {
  const std::uint32_t i = thread_number();
  if (i >= n) return;
  void* const p = mm.malloc(64);
  mm.free(p);
  mm.free(p);
  mm.free(elsewhere);
}

dim3 block_of(MemoryBlocks blocks) {
  if (blocks == MemoryBlocks::OneDimensional) return dim3(256);
  return blocks == MemoryBlocks::TwoDimensional ? dim3(24, 8) : dim3(5, 7, 6);
}

template <class V>
MemoryRun exercise(MemoryBlocks blocks, std::uint32_t threads, std::uint64_t most,
                   std::uint32_t rounds, std::uint64_t heap_bytes, std::uint64_t mapped) {
  using MM = Ouroboros<V>;
  DeviceHeap<MM> heap(HeapOptions{heap_bytes}, mapped);
  const OnDevice<std::uint64_t*> held(threads);
  const OnDevice<Counts> counts(1);
  const dim3 block = block_of(blocks);
  const std::uint32_t size = block.x * block.y * block.z, grid = (threads + size - 1) / size;
  for (std::uint32_t round = 0; round < rounds; ++round) {
    allocate_and_mark<<<grid, block>>>(heap.manager(), held.get(), threads, round, most,
                                       counts.get());
    check_and_free<<<grid, block>>>(heap.manager(), held.get(), threads, round, most, counts.get());
  }
  const Counts result = counts.read()[0];
  return {result.served, result.overlaps, heap.stats().bytes_live,
          static_cast<std::uint32_t>(heap.valid())};
}

}  // namespace

MemoryRun exercise_on_device(MemoryVariantName variant, MemoryBlocks blocks, std::uint32_t threads,
                             std::uint64_t most_bytes, std::uint32_t rounds,
                             std::uint64_t heap_bytes, std::uint64_t mapped) {
  const auto run = [&]<class V>(V) {
    return exercise<V>(blocks, threads, most_bytes, rounds, heap_bytes, mapped);
  };
  switch (variant) {
    case MemoryVariantName::SP:
      return run(SP{});
    case MemoryVariantName::SC:
      return run(SC{});
    case MemoryVariantName::VAP:
      return run(VAP{});
    case MemoryVariantName::VAC:
      return run(VAC{});
    case MemoryVariantName::VLP:
      return run(VLP{});
    default:
      return run(VLC{});
  }
}

MemoryPair two_heaps_on_device(std::uint32_t threads, std::uint32_t rounds) {
  const HeapOptions options{std::uint64_t{1} << 30};
  DeviceHeap<Ouroboros<SP>> a(options);
  DeviceHeap<Ouroboros<VLC>> b(options);
  const OnDevice<Counts> counts(1);
  take_from_two<<<threads / 128, 128>>>(a.manager(), b.manager(), rounds, counts.get());
  const Counts result = counts.read()[0];
  return {result.served, result.overlaps, a.stats().bytes_live + b.stats().bytes_live,
          static_cast<std::uint32_t>(a.valid()) + static_cast<std::uint32_t>(b.valid())};
}

MemoryFaults wrong_frees_on_device(std::uint32_t threads) {
  // One warp at a time frees for the second time before another one gets the page.
  DeviceHeap<Ouroboros<VAP, VAP, CheckedTraits>> heap(HeapOptions{std::uint64_t{64} << 20});
  const OnDevice<std::uint32_t> elsewhere(16);
  for (std::uint32_t done = 0; done < threads; done += 32)
    free_wrongly<<<1, 32>>>(heap.manager(), 32, elsewhere.get());
  const Stats s = heap.stats();
  return {s.double_frees, s.foreign_frees, s.bytes_live, static_cast<std::uint32_t>(heap.valid())};
}

MemoryGrowth grow_on_device(std::uint64_t mapped, std::uint64_t more) {
  using MM = Ouroboros<VLP, SC>;
  const std::uint32_t n = 1u << 20;
  DeviceHeap<MM> heap(HeapOptions{std::uint64_t{4} << 30}, mapped);
  const OnDevice<std::uint64_t> indices(n);
  const OnDevice<unsigned long long> count(3);
  fill<<<n / 256, 256>>>(heap.manager(), indices.get(), n, count.get());
  check(cudaDeviceSynchronize());
  heap.grow(more);
  fill<<<n / 256, 256>>>(heap.manager(), indices.get(), n, count.get() + 1);
  check(cudaDeviceSynchronize());
  heap.resize(std::uint64_t{8} << 30);
  count_kept<<<n / 256, 256>>>(heap.manager(), indices.get(), n, count.get() + 2);
  const std::vector<unsigned long long> found = count.read();
  return {found[0], found[1], found[2], static_cast<std::uint32_t>(heap.valid())};
}

}  // namespace fathom::testing
