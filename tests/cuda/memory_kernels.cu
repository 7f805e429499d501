// Kernels over the memory manager: divergent callers in blocks of every shape, growth and moves.
#include "tests/cuda/memory_kernels.cuh"

namespace fathom::testing {
namespace {

using namespace memory;

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
__global__ void take_from_two(A a, B b, std::uint32_t rounds, MemoryCounts* counts) {
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

}  // namespace

MemoryRun exercise_on_device(MemoryVariantName variant, const MemoryLoad& load) {
  switch (variant) {
    case MemoryVariantName::SP:
    case MemoryVariantName::SC:
      return exercise_standard(variant, load);
    case MemoryVariantName::VAP:
    case MemoryVariantName::VAC:
      return exercise_virtual_arrays(variant, load);
    default:
      return exercise_virtual_lists(variant, load);
  }
}

MemoryPair two_heaps_on_device(std::uint32_t threads, std::uint32_t rounds) {
  const HeapOptions options{std::uint64_t{1} << 30};
  DeviceHeap<Ouroboros<SP>> a(options);
  DeviceHeap<Ouroboros<VLC>> b(options);
  const OnDevice<MemoryCounts> counts(1);
  take_from_two<<<threads / 128, 128>>>(a.manager(), b.manager(), rounds, counts.get());
  const MemoryCounts result = counts.read()[0];
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
