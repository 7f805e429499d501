// What a streaming source asks of the device itself: which pages a superstep needs, and the table
// through which kernels find them.
#pragma once

#include "fathom/exec/cuda/gpu.hpp"
#include "fathom/exec/frontier.hpp"
#include "fathom/residency/edge_view.hpp"
#include "fathom/residency/page_deal.hpp"

namespace fathom::cuda {

/// One change of the table: page `page` is there now, or nowhere (null).
struct PageUpdate {
  std::uint64_t page;
  const VertexId* target;
  const Weight* weight;
};

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
  void add(const PageUpdate& update) { at_[size_++] = update; }
  /// Queues those added since the last call; `weight` may be null.
  void apply(const VertexId** target, const Weight** weight);

 private:
  const Gpu& gpu_;
  PageUpdate* at_ = nullptr;
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

/// table entries [page] = what the updates say. In stream order; `weight` may be null.
void update_pages(const Gpu& gpu, const PageUpdate* updates, std::size_t count,
                  const VertexId** target, const Weight** weight);

}  // namespace fathom::cuda
