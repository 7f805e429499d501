// A graph's pages from the malloc of CUDA's device code (CudaGraph, section 6.2 of Winter's
// thesis).
//
// Its heap is the process's: one per device, whose size is fixed before the first kernel that uses
// it, and which never goes back to the device. The first graph of the process that wants it decides
// the size. Pages have numbers of 32 bits all the same: units from an address as far below the
// first block that was ever handed out as the heap is large. From there they reach as far above it,
// as graphs make heaps of up to 32 GiB; in a larger one of somebody else's, blocks that are out of
// reach count as not there.
#include <map>
#include <mutex>

#include "fathom/core/units.hpp"
#include "fathom/dynamic/pages/cuda/allocated_pages.cuh"

namespace fathom::dynamic::gpu {
namespace {

/// Blocks of malloc as pages: they begin at a multiple of their size up to 128 bytes, as those of
/// the pool do. A block begins up to that much earlier; the 16 bytes before a page say how much.
struct CudaRef {
  std::byte* region;
  std::uint64_t reach;  // bytes
  ArenaTurn* turn;      // `tried`: malloc had nothing for this size

  FATHOM_HD static bool has(std::uint64_t) { return true; }

  FATHOM_HD std::uint32_t allocate([[maybe_unused]] std::uint64_t bytes) const {
#if defined(__CUDA_ARCH__)
    const int k = page_size_class(bytes);
    const AtomicRef tried(turn[k].tried);
    if (tried.load() == 0) {
      const std::uint64_t size = std::uint64_t{kDynamicUnit} << k, align = alignment_of(size);
      auto* const block =
          static_cast<std::byte*>(::malloc(size + (align == kDynamicUnit ? 0 : align)));
      if (const std::uint32_t page = page_in(block, align, size); page != kNoPage) return page;
      if (block != nullptr) ::free(block);
      tried.store(1u);
    }
    AtomicRef(turn[k].missing).fetch_add(std::uint64_t{1});
#endif
    return kNoPage;
  }

  FATHOM_HD void free([[maybe_unused]] std::uint32_t page,
                      [[maybe_unused]] std::uint64_t bytes) const {
#if defined(__CUDA_ARCH__)
    std::byte* const at = region + std::uint64_t{page} * kDynamicUnit;
    const std::uint64_t size = page_bytes_for(bytes);
    ::free(alignment_of(size) == kDynamicUnit ? at : at - *before(at));
#endif
  }

 private:
  FATHOM_HD static std::uint64_t alignment_of(std::uint64_t size) {
    return page_alignment(size, std::uint64_t{kDynamicUnit} << kLineClass);
  }
  FATHOM_HD static std::uint64_t* before(std::byte* at) {
    return reinterpret_cast<std::uint64_t*>(at - kDynamicUnit);
  }
  /// malloc aligns to 16 bytes.
  FATHOM_HD std::uint32_t page_in(std::byte* block, std::uint64_t align, std::uint64_t size) const {
    if (block == nullptr) return kNoPage;
    const auto address = reinterpret_cast<std::uint64_t>(block);
    const std::uint64_t first =
        align == kDynamicUnit ? address : (address + kDynamicUnit + align - 1) / align * align;
    const auto base = reinterpret_cast<std::uint64_t>(region);
    if (first < base || first + size > base + reach) return kNoPage;
    if (first != address) *before(block + (first - address)) = first - address;
    return static_cast<std::uint32_t>((first - base) / kDynamicUnit);
  }
};

__global__ void find_heap(std::uint64_t* address) {
  void* const block = ::malloc(kDynamicUnit);
  *address = reinterpret_cast<std::uint64_t>(block);
  ::free(block);
}

/// CUDA's heap of a device.
struct Heap {
  std::uint64_t bytes = 0;
  std::uint64_t block = 0;  // the address of one within it
};

/// Makes it of `bytes`, unless it is there already.
Heap heap_of(const cuda::Gpu& gpu, std::uint64_t bytes) {
  static std::mutex changing;
  static std::map<int, Heap> heaps;
  const std::lock_guard lock(changing);
  Heap& heap = heaps[gpu.ordinal()];
  if (heap.block != 0) return heap;
  gpu.activate();
  // Kernels of others that use it may have run, and fixed its size.
  if (cudaDeviceSetLimit(cudaLimitMallocHeapSize, bytes) != cudaSuccess) cudaGetLastError();
  std::size_t now = 0;
  cuda::check(cudaDeviceGetLimit(&now, cudaLimitMallocHeapSize), "asking for CUDA's heap");
  Array<std::uint64_t> address(1, gpu.memory());
  find_heap<<<1, 1, 0, gpu.stream()>>>(address.data());
  cuda::check(cudaGetLastError(), "making CUDA's heap");
  std::uint64_t block = 0;
  gpu.copy(&block, address.data(), sizeof(block));
  if (block == 0)
    throw Error(ErrorCode::DoesNotFit,
                "CUDA's heap of " + format_bytes(now) + " has nothing to hand out");
  heap = {now, block};
  return heap;
}

/// What AllocatedPages asks of the owner of a share of CUDA's heap.
class CudaOwner {
 public:
  using Ref = CudaRef;
  static constexpr bool kShared = true;
  static constexpr int kLeast = kPageSizes;  // nothing comes from a pool

  static std::size_t addresses_for(std::size_t) { return 1; }

  /// At most half of what the budget has left: updates, records and results need some too.
  CudaOwner(cuda::Gpu& gpu, const MappedMemory&, std::size_t limit)
      : pool_(gpu.memory()), share_(std::min({limit, kMostHeap, pool_->available() / 2})) {
    pool_->reserve(share_);
    try {
      heap_ = heap_of(gpu, share_);
    } catch (...) {
      pool_->unreserve(share_);
      throw;
    }
    if (heap_.bytes < share_) {
      pool_->unreserve(share_ - heap_.bytes);
      share_ = heap_.bytes;
    }
    // At a multiple of what pages are aligned to.
    const std::uint64_t below = std::min<std::uint64_t>(heap_.bytes, kMostHeap);
    region_ = heap_.block > below ? (heap_.block - below) / 128 * 128 : 0;
  }
  CudaOwner(const CudaOwner&) = delete;
  CudaOwner& operator=(const CudaOwner&) = delete;
  ~CudaOwner() { pool_->unreserve(share_); }

  std::uint32_t* region() const { return reinterpret_cast<std::uint32_t*>(region_); }
  Ref ref(ArenaTurn* turn) const {
    return {reinterpret_cast<std::byte*>(region_), kMostPageBytes, turn};
  }
  static std::uint32_t arenas() { return 1; }
  std::uint64_t most() const { return share_; }
  std::size_t reserved() const { return share_; }
  [[noreturn]] static LiveManager live(PageAllocator) {
    throw Error(ErrorCode::Usage,
                "kernels change graphs on a GPU that take their pages from the pool or a manager, "
                "and this one takes them from CUDA's malloc");
  }
  static void reserve(std::size_t) {}  // live() comes first

  [[noreturn]] void grow(const Turns&, std::uint64_t bytes) const {
    throw Error(ErrorCode::DoesNotFit, "CUDA's heap of " + format_bytes(heap_.bytes) +
                                           ", the size that the first graph " +
                                           "of a process gives it, lacks pages of " +
                                           format_bytes(bytes) + ", which are needed");
  }

 private:
  static constexpr std::size_t kMostHeap = kMostPageBytes / 2 / 128 * 128;

  std::shared_ptr<MemoryPool> pool_;
  std::size_t share_;
  Heap heap_;
  std::uint64_t region_ = 0;
};

}  // namespace

std::unique_ptr<GpuPages> make_pages_of_cuda(cuda::Gpu& gpu, std::size_t limit) {
  return std::make_unique<AllocatedPages<CudaOwner>>(PageAllocator::Cuda, gpu, limit, HostShare{});
}

}  // namespace fathom::dynamic::gpu
