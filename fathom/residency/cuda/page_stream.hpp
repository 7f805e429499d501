// One GPU's part of streamed edges: the pages that are dealt to it, the frames it has for them, and
// the table through which its kernels find them.
#pragma once

#include <memory>
#include <vector>

#include "fathom/graph/csr.hpp"
#include "fathom/residency/cuda/host_block.hpp"
#include "fathom/residency/cuda/page_frames.hpp"
#include "fathom/residency/cuda/page_table.hpp"
#include "fathom/residency/edge_source.hpp"
#include "fathom/residency/paged/page_deal.hpp"
#include "fathom/residency/paged/paging_options.hpp"

namespace fathom {
class SpareMemory;
}

namespace fathom::cuda {

/// What the GPUs of a source have in common.
struct StreamedLists {
  CsrView csr;
  PagingOptions paging;
  GpuEdgeOptions options;
  ZeroCopyWay way = ZeroCopyWay::Register;
  std::uint32_t page_shift = 0;
  std::size_t pages = 0;
  PageDeal deal;
  std::unique_ptr<HostBlock> target, weight;  // null until they are needed

  EdgeId first_edge(std::size_t page) const { return static_cast<EdgeId>(page) << page_shift; }
  HostPages host(bool weights) const;
  /// Whether kernels may read the page in place now.
  bool in_reach(std::size_t page, bool weights) const;
  /// The vertex whose list position `at` is in.
  VertexId vertex_at(EdgeId at) const;
};

/// All calls for one GPU come from one thread at a time.
class PageStream {
 public:
  using Show = FunctionRef<void(const Pass&)>;

  /// Context and lists outlive it. @throws Error(DoesNotFit)
  PageStream(const Context& ctx, const Device& device, const StreamedLists& lists);
  ~PageStream();
  PageStream(const PageStream&) = delete;
  PageStream& operator=(const PageStream&) = delete;

  /// Takes what memory is left for frames. The lists' arrays that it takes are there.
  void place(bool weights);
  /// Before the arrays that pages are in are replaced.
  void forget_pages() { frames_.reset(); }
  /// Shows the pages dealt to this device that the frontier needs, each once.
  void sweep(const Frontier& active, const SweepOptions& options, Show pass);

  /// Edges of whole lists that a third of the frames holds.
  std::size_t third() const { return frames_->block_edges() / 3; }
  /// Shows pairs of lists: one out of this device's share of each of the runs that `cut` borders,
  /// the other out of every run. Runs have at most `third` edges.
  void sweep_pairs(const std::vector<VertexId>& cut, std::size_t third,
                   FunctionRef<void(const PairPass&)> pass);

  const EdgeId* offsets() const { return offset_.data(); }
  const VertexId* hints() const { return hint_.data(); }
  bool room_for_hints() const;
  /// Finds them, or copies what another device has found; they stay until the run ends.
  /// @throws Error(DoesNotFit).
  void prepare_hints(const PageStream* found);
  const Gpu& gpu() const { return *device_.gpu(); }
  Traffic traffic() const;
  /// Of the frames, if they are there.
  std::size_t frame_bytes() const {
    return frames_ ? frames_->block_edges() * (frames_->weights() ? 2 : 1) * sizeof(VertexId) : 0;
  }

 private:
  const std::shared_ptr<MemoryPool>& memory() const { return device_.memory(); }
  SpareMemory& spare() const;
  std::uint32_t turn() const { return static_cast<std::uint32_t>(device_.index()); }
  std::vector<std::uint32_t> lines_wanted(const Frontier& active, const SweepOptions& options,
                                          std::uint32_t lines_of_page);
  void copy_and_show(const std::vector<std::size_t>& pages, const SweepOptions& options, Show pass);
  void show(const std::vector<std::size_t>& pages, bool in_place, const SweepOptions& options,
            Show pass);
  void show_as(Technique technique, const std::vector<std::size_t>& pages, bool in_place,
               const SweepOptions& options, Show pass);

  const Context& ctx_;
  const Device& device_;
  const StreamedLists& lists_;
  Array<EdgeId> offset_;
  Array<VertexId> hint_;
  Array<std::uint32_t> lines_;            // [pages]
  Array<const VertexId*> page_target_;    // [pages]: the table that kernels see
  Array<const Weight*> page_weight_;      // [pages] once weights were asked for
  Array<unsigned long long> link_count_;  // [2]: requests, bytes read in place
  HostCopies copies_;
  std::unique_ptr<PageFrames> frames_;
  std::unique_ptr<PageUpdates> updates_;
  std::vector<std::size_t> shown_;          // pages that the table has an entry for
  int cache_handle_ = 0, hint_handle_ = 0;  // of spare()
  bool sweeping_ = false;                   // frames in use do not give way
  Traffic copied_;
};

}  // namespace fathom::cuda
