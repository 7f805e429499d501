// Page frames in device memory, and the copies that fill them.
//
// Kernels run on the context's stream, copies on one of their own. An event after each pass tells
// when the frames it used may be overwritten, one after each batch of copies when its pages may be
// shown: the host waits for neither.
#pragma once

#include <vector>

#include "fathom/exec/context.hpp"
#include "fathom/exec/cuda/gpu.hpp"
#include "fathom/exec/cuda/host_copies.hpp"
#include "fathom/residency/paged/frame_table.hpp"

namespace fathom::cuda {

/// Pages of 2^page_shift edges in host memory, pinned or about to be, one behind the other.
struct HostPages {
  const VertexId* target = nullptr;
  const Weight* weight = nullptr;  // null: frames hold none
  EdgeId edges = 0;
  std::uint32_t page_shift = 0;

  std::size_t count() const {
    return static_cast<std::size_t>((edges + (EdgeId{1} << page_shift) - 1) >> page_shift);
  }
  EdgeId first(std::size_t page) const { return static_cast<EdgeId>(page) << page_shift; }
};

class PageFrames {
 public:
  /// `count` frames on the device, at least one, filled by `copies`. @throws Error(DoesNotFit).
  PageFrames(const Device& device, HostCopies& copies, const HostPages& pages, std::size_t count,
             PageCache policy);
  /// Waits for copies under way.
  ~PageFrames();
  PageFrames(const PageFrames&) = delete;
  PageFrames& operator=(const PageFrames&) = delete;

  std::size_t size() const { return table_.size(); }
  bool weights() const { return pages_.weight != nullptr; }
  /// Whether the page is in a frame, and where.
  bool has(std::size_t page) const { return table_.has(page); }
  const VertexId* target(std::size_t page) const { return target_.data() + at(page); }
  const Weight* weight(std::size_t page) const {
    return weights() ? weight_.data() + at(page) : nullptr;
  }
  /// Frames without a page.
  std::size_t empty() const { return table_.empty(); }
  /// Pages that are copied and shown together: a few batches fit the frames at a time.
  std::size_t batch() const { return table_.batch(); }

  /// No page is in a frame from now on.
  void forget_all() { table_.forget_all(); }
  /// Before the first pass of a sweep that wants the pages p with wanted[p] > 0. Kernels queued so
  /// far may use every frame.
  void begin_sweep(const std::vector<std::uint32_t>& wanted);
  /// A pass over these pages, all in frames, has been queued.
  void end_pass(const std::vector<std::size_t>& pages);
  /// Whether so many pages could be copied now.
  bool can_copy(std::size_t count) const { return table_.can_take(count); }
  /// Queues copies of these pages (ascending, in no frame, can_copy()). Pages leave the frames that
  /// were shown longest ago. Returns the number of copies: neighbours go together.
  std::size_t copy(const std::vector<std::size_t>& pages);
  /// Kernels queued from now on find the pages copied so far.
  void wait_for_copies();
  /// After the last pass.
  void end_sweep() { table_.end_sweep(); }

  /// All frames as one block, for lists that are not cut into pages. Forgets every page.
  VertexId* block();
  std::size_t block_edges() const { return target_.size(); }

 private:
  std::size_t at(std::size_t page) const { return table_.frame_of(page) << pages_.page_shift; }
  void add_run(std::size_t page, std::size_t frame, std::size_t count);
  void record_pass();

  const Gpu& gpu_;
  HostCopies& copies_;
  HostPages pages_;
  std::vector<Transfer> transfers_;  // of the call of copy() under way
  FrameTable table_;
  Array<VertexId> target_;
  Array<Weight> weight_;
  std::vector<std::size_t> free_at_;  // [frames]: index of the event after which it is free
  std::vector<cudaEvent_t> passed_;   // [0]: the beginning of this sweep; then one per pass
  std::size_t passes_ = 0;
  cudaStream_t stream_ = nullptr;
  cudaEvent_t copied_ = nullptr;
};

}  // namespace fathom::cuda
