// Edges in pages of pinned host memory that are copied into page frames of a GPU while kernels work
// on those already there (GTS, Algorithm 1 and section 3.2: topology moves, attributes stay).
//
// A superstep's pages (nextPIDSet) are counted on the device. Each is found in a frame, or copied,
// or, when few of its lists are active, read in place over the link: whatever costs least. Pages
// in frames are shown first, so that a sweep over all pages finds as many as there are frames.
#pragma once

#include <memory>
#include <vector>

#include "fathom/graph/csr.hpp"
#include "fathom/residency/cuda/host_block.hpp"
#include "fathom/residency/cuda/page_frames.hpp"
#include "fathom/residency/cuda/page_table.hpp"
#include "fathom/residency/edge_source.hpp"
#include "fathom/residency/paging_options.hpp"

namespace fathom {

class GpuStreamSource final : public EdgeSource {
 public:
  /// The context is a CUDA one and outlives the source. `owner` keeps the host arrays alive.
  /// @throws Error(Usage) for a page size that is no power of two; Error(DoesNotFit).
  GpuStreamSource(const Context& ctx, const CsrView& csr, std::shared_ptr<const void> owner,
                  const PagingOptions& paging, const GpuEdgeOptions& options);
  ~GpuStreamSource() override;

  void sweep(const Context& ctx, Frontier& active, const SweepOptions& options,
             FunctionRef<void(const Pass&)> pass) override;
  void sweep_pairs(const Context& ctx, FunctionRef<void(const PairPass&)> pass) override;
  /// Nothing: lists are split over passes.
  std::optional<AnyEdges> whole(const SweepOptions&) const override { return std::nullopt; }
  void prepare(const Context& ctx, const SweepOptions& options) override;
  const EdgeId* offsets(const Device&) override { return offset_.data(); }
  const VertexId* hints(const Device&) override { return hint_.data(); }
  double link_ceiling() const override;
  std::optional<CsrView> host_lists() const override { return csr_; }
  Traffic traffic() const override;

 private:
  using Show = FunctionRef<void(const Pass&)>;

  void place(bool weights);
  std::vector<std::uint32_t> lines_wanted(const Frontier& active, const SweepOptions& options,
                                          std::uint32_t lines_of_page);
  void copy_and_show(const std::vector<std::size_t>& pages, const SweepOptions& options, Show pass);
  void show(const std::vector<std::size_t>& pages, bool in_place, const SweepOptions& options,
            Show pass);
  VertexId vertex_at(EdgeId position) const;
  const std::shared_ptr<MemoryPool>& memory() const { return ctx_->devices()[0].memory(); }
  const cuda::Gpu& gpu() const { return *ctx_->devices()[0].gpu(); }

  const Context* ctx_;
  CsrView csr_;
  std::shared_ptr<const void> owner_;
  PagingOptions paging_;
  GpuEdgeOptions options_;
  ZeroCopyWay way_;
  std::uint32_t page_shift_ = 0;
  std::size_t pages_ = 0;
  std::unique_ptr<HostBlock> target_, weight_;  // pinned
  Array<EdgeId> offset_;
  Array<VertexId> hint_;
  Array<std::uint32_t> lines_;            // [pages]
  Array<const VertexId*> page_target_;    // [pages]: the table that kernels see
  Array<const Weight*> page_weight_;      // [pages] once weights were asked for
  Array<unsigned long long> link_count_;  // [2]: requests, bytes read in place
  std::unique_ptr<cuda::PageFrames> frames_;
  std::unique_ptr<cuda::PageUpdates> updates_;
  std::vector<std::size_t> shown_;  // pages that the table has an entry for
  int cache_handle_ = 0;
  bool sweeping_ = false;  // frames in use do not give way
  Traffic copied_;
};

}  // namespace fathom
