// Where the pages of lists on a GPU come from: the pool, and, in classes derived from it, a manager
// of fathom/memory or CUDA's own malloc. The host queues kernels; what these call is no virtual
// function, but an allocator that they get by value.
#pragma once

#include <memory>

#include "fathom/dynamic/pages/cuda/page_pool.hpp"
#include "fathom/dynamic/pages/page_allocator.hpp"

namespace fathom::dynamic::gpu {

/// The pages of a batch: assign() and commit(), and a wait. If the totals then say go, take_in();
/// else grow(), and all again, or give_up(). As it is: all pages from the pool, which a thread
/// divides, so that nobody contends for one, and of which nothing is taken unless all is there.
class GpuPages {
 public:
  /// Of at most `limit` bytes. @throws Error(DoesNotFit)
  GpuPages(cuda::Gpu& gpu, std::size_t limit, const HostShare& host);
  virtual ~GpuPages() = default;
  GpuPages(const GpuPages&) = delete;
  GpuPages& operator=(const GpuPages&) = delete;

  /// Where page 0 is; never changes.
  virtual std::uint32_t* region() const { return reinterpret_cast<std::uint32_t*>(memory_.data()); }

  /// What the device keeps for others before pages lie in host memory.
  void keep(std::size_t bytes) { memory_.keep(bytes); }
  /// Before lists are filled whose pages come to so many bytes of each size. @throws
  /// Error(DoesNotFit)
  virtual void expect(const std::uint64_t* bytes) { pool_.expect(bytes); }

  /// Room for free pages that there is already, and what makes it: see PagePool.
  void rooms(std::uint32_t* free) const { pool_.rooms(free); }
  void make_rooms_for(std::uint64_t changes) { pool_.make_rooms_for(changes); }

  /// Fills in the fresh pages of all sides as far as there are any, and decides whether the batch
  /// can go on; `found`, in pinned memory, gets the totals. A side that was asked keeps what it
  /// got.
  virtual void assign(const Side* sides, const Rooms& rooms, Totals* totals, Totals* found);
  /// After a wait that found that something is missing: has more memory, if that is what is
  /// missing, though perhaps not enough. @throws Error(DoesNotFit)
  virtual void grow(const Totals& found);
  /// Takes back what assign() gave to sides that were asked.
  virtual void give_up(const Side*, int) noexcept {}

  // The following do nothing unless the totals say go.
  /// Writes lists, and takes back the pages that they leave; `settles`, of one side.
  virtual void commit(const Side& side, const Retired& retired, bool settles, const Totals* totals);
  /// The pages of lists that are filled, and leave none, are theirs.
  void settle(const Totals* totals);

  /// Counts what was committed; after the wait.
  virtual void take_in(const Totals& found) noexcept;

  /// Takes back n pages, `more` of each size. @throws Error(DoesNotFit), with nothing changed
  void expect_more(const std::uint32_t* more) { pool_.expect_more(more); }
  virtual void free(const PageRequest* page, std::size_t n, const std::uint32_t* more);

  // For kernels that change lists and take pages by themselves, of the pool and of a manager.
  PagePool& pool() { return pool_; }
  /// @throws Error(Usage) where kernels do not take pages of the allocator themselves
  virtual LiveManager live() { return {}; }
  /// Has `bytes` for pages beside those that are free, behind the border of the pool or with the
  /// manager, while no kernel takes any. @throws Error(DoesNotFit); a manager keeps what it has got
  /// by then.
  virtual void reserve(std::uint64_t border, std::size_t bytes) {
    pool_.grow_behind(border, bytes);
  }

  /// The pages of lists [0, n) are no longer used. For those who share their memory with others.
  virtual void forget(const DynamicListsRef&, std::size_t) noexcept {}

  /// Bytes that count against budgets, those in host memory too.
  virtual std::size_t reserved() const { return memory_.device_bytes() + memory_.host_bytes(); }
  std::size_t host_bytes() const { return memory_.host_bytes(); }
  PageStatistics statistics() const { return {pool_.used(), reserved(), pool_.pages()}; }

 protected:
  /// The pool has the pages of at least 2^`least` units alone.
  GpuPages(cuda::Gpu& gpu, std::size_t limit, const HostShare& host, std::size_t addresses,
           int least);

  cuda::Gpu& gpu_;
  MappedMemory memory_;
  PagePool pool_;
};

/// Pages of at most `limit` bytes. @throws Error(DoesNotFit), Error(Device)
std::unique_ptr<GpuPages> make_gpu_pages(PageAllocator allocator, cuda::Gpu& gpu, std::size_t limit,
                                         const HostShare& host);

// By file: what queues are, and CUDA's malloc.
std::unique_ptr<GpuPages> make_pages_of_standard(PageAllocator allocator, cuda::Gpu& gpu,
                                                 std::size_t limit, const HostShare& host);
std::unique_ptr<GpuPages> make_pages_of_virtual_arrays(PageAllocator allocator, cuda::Gpu& gpu,
                                                       std::size_t limit, const HostShare& host);
std::unique_ptr<GpuPages> make_pages_of_virtual_lists(PageAllocator allocator, cuda::Gpu& gpu,
                                                      std::size_t limit, const HostShare& host);
std::unique_ptr<GpuPages> make_pages_of_cuda(cuda::Gpu& gpu, std::size_t limit);

}  // namespace fathom::dynamic::gpu
