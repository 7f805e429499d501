// What the manager is compared with: an addition per thread, one per warp, and CUDA's own malloc.
#include <cuda_runtime.h>

#include "bench/survey/cuda/subject.cuh"
#include "bench/survey/cuda/subjects.hpp"

namespace fathom::memory {
namespace {

/// Hands a region out once, in order.
struct Region {
  std::byte* base = nullptr;
  std::uint64_t bytes = 0;
  unsigned long long* next = nullptr;

  __device__ void* at(std::uint64_t offset, std::uint64_t size) const {
    return offset + size <= bytes ? base + offset : nullptr;
  }
  __host__ __device__ static std::uint64_t padded(std::uint64_t size) {
    return (size + 15) / 16 * 16;
  }
  FATHOM_HD void free(void*) const {}
};

struct BumpHandle : Region {
  FATHOM_HD void* malloc([[maybe_unused]] std::uint64_t size) const {
#if defined(__CUDA_ARCH__)
    return at(atomicAdd(next, padded(size)), padded(size));
#else
    return nullptr;
#endif
  }
};

/// One addition for all threads of a warp that call it together.
struct WarpBumpHandle : Region {
  FATHOM_HD void* malloc([[maybe_unused]] std::uint64_t size) const {
#if defined(__CUDA_ARCH__)
    const unsigned together = __activemask();
    const unsigned lane = threadIdx.x % 32, first = __ffs(static_cast<int>(together)) - 1;
    const std::uint64_t mine = padded(size);
    unsigned long long before = 0, all = 0;
    for (unsigned rest = together; rest != 0; rest &= rest - 1) {
      const int other = __ffs(static_cast<int>(rest)) - 1;
      const unsigned long long theirs =
          __shfl_sync(together, static_cast<unsigned long long>(mine), other);
      if (other < static_cast<int>(lane)) before += theirs;
      all += theirs;
    }
    unsigned long long offset = 0;
    if (lane == first) offset = atomicAdd(next, all);
    offset = __shfl_sync(together, offset, static_cast<int>(first));
    return at(offset + before, mine);
#else
    return nullptr;
#endif
  }
};

template <class Handle>
class BumpOwner {
 public:
  explicit BumpOwner(const HeapOptions& options) {
    handle_.bytes = options.bytes;
    void* p = nullptr;
    cuda::check(cudaMalloc(&p, options.bytes + 128), "allocating a region");
    handle_.base = static_cast<std::byte*>(p);
    handle_.next = reinterpret_cast<unsigned long long*>(handle_.base + options.bytes / 8 * 8);
    reset();
  }
  ~BumpOwner() { cudaFree(handle_.base); }
  BumpOwner(const BumpOwner&) = delete;
  BumpOwner& operator=(const BumpOwner&) = delete;
  Handle manager() const { return handle_; }
  void reset() { cuda::check(cudaMemset(handle_.next, 0, 8), "resetting a region"); }

 private:
  Handle handle_;
};

/// malloc and free of CUDA's device code. Its heap is the process's, and sized once.
class CudaOwner {
 public:
  struct Handle {
    FATHOM_HD void* malloc([[maybe_unused]] std::uint64_t size) const {
#if defined(__CUDA_ARCH__)
      return ::malloc(size);
#else
      return nullptr;
#endif
    }
    FATHOM_HD void free([[maybe_unused]] void* p) const {
#if defined(__CUDA_ARCH__)
      ::free(p);
#endif
    }
  };
  explicit CudaOwner(const HeapOptions& options) {
    std::size_t now = 0;
    cuda::check(cudaDeviceGetLimit(&now, cudaLimitMallocHeapSize), "asking for CUDA's heap");
    if (now != options.bytes)
      cuda::check(cudaDeviceSetLimit(cudaLimitMallocHeapSize, options.bytes), "sizing CUDA's heap");
  }
  Handle manager() const {
    return {};
  }
  void reset() {}
};

}  // namespace

std::vector<SubjectKind> plain_subjects() {
  return {{"bump", false, false, make_subject<BumpOwner<BumpHandle>>},
          {"bump-warp", false, false, make_subject<BumpOwner<WarpBumpHandle>>},
          {"cuda", true, false, make_subject<CudaOwner>}};
}

}  // namespace fathom::memory
