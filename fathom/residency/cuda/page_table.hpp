// What a streaming source asks of the device itself: which pages a superstep needs, and the table
// through which kernels find them.
#pragma once

#include "fathom/exec/cuda/gpu.hpp"
#include "fathom/exec/frontier.hpp"
#include "fathom/residency/edge_view.hpp"
#include "fathom/residency/paged/frame_copies.hpp"
#include "fathom/residency/paged/page_deal.hpp"

namespace fathom::cuda {

/// Updates in pinned host memory, where they stay until the device has read them.
class PageUpdates {
 public:
  /// Room for `most` updates between two calls of begin().
  explicit PageUpdates(const Gpu& gpu, std::size_t most);
  ~PageUpdates();
  PageUpdates(const PageUpdates&) = delete;
  PageUpdates& operator=(const PageUpdates&) = delete;

  /// Waits until the device has read all, and starts anew.
  void begin();
  void add(const PageEntry& update) { at_[size_++] = update; }
  /// Queues those added since the last call.
  void apply(const PageTable& table);

 private:
  const Gpu& gpu_;
  PageEntry* at_ = nullptr;
  std::size_t size_ = 0, applied_ = 0;
  cudaEvent_t read_ = nullptr;
};

/// lines[p] = 128-byte lines of page p's targets that the lists of the frontier touch, for the
/// pages that are dealt to device `turn`; `lines` must be zero. `first`: of each list, only the
/// first so many edges are shown; `most`: of each list and page, at most so many lines are counted.
/// Lists that share a line count it twice. In stream order. GTS calls the pages with a count above
/// zero nextPIDSet.
void count_lines(const Gpu& gpu, const FrontierRef& active, const EdgeId* offset, EdgeId first,
                 std::uint32_t most, std::uint32_t page_shift, const PageDeal& deal,
                 std::uint32_t turn, std::uint32_t* lines);

/// The same of slotted pages; the view's tables are in device memory.
void count_lines(const Gpu& gpu, const FrontierRef& active, const EdgeId* offset, EdgeId first,
                 std::uint32_t most, const SlottedEdges& pages, std::uint32_t* lines);

/// Sets the bit of each page of 2^page_shift edges that the first `first` edges of an active
/// vertex's list are on. In stream order.
void mark_pages(const Gpu& gpu, const FrontierRef& active, const EdgeId* offset, EdgeId first,
                std::uint32_t page_shift, std::uint64_t* wanted);
/// The same of slotted pages; the view's tables are in device memory.
void mark_pages(const Gpu& gpu, const FrontierRef& active, const EdgeId* offset, EdgeId first,
                const SlottedEdges& pages, std::uint64_t* wanted);

/// Table entries [page] = what the updates say (device-readable memory). In stream order.
void update_pages(const Gpu& gpu, const PageEntry* updates, std::size_t count,
                  const PageTable& table);

}  // namespace fathom::cuda
