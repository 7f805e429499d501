// Edges in pages of host memory, pinned behind the first sweep, that are copied into page frames of
// GPUs while kernels work on those already there (GTS, Algorithm 1 and section 3.2: topology moves,
// attributes stay).
//
// A superstep's pages (nextPIDSet) are counted on the device. Each is found in a frame, or copied,
// or, when few of its lists are active, read in place over the link: whatever costs least. Pages
// in frames are shown first, so that a sweep over all pages finds as many as there are frames.
//
// Several GPUs have the pages dealt out to them (strategy P, section 4.1). Each is served by a
// thread of its own: what operators do with a pass may wait for its device, and the start of a
// batch may wait for room in the driver's queues; neither then holds up another device's link.
#pragma once

#include <memory>
#include <vector>

#include "fathom/residency/cuda/page_stream.hpp"
#include "fathom/residency/edge_source.hpp"

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
  bool comes_whole() const override { return false; }
  void prepare(const Context& ctx, const SweepOptions& options) override;
  const EdgeId* offsets(const Device& device) override { return on(device).offsets(); }
  /// On all devices, or on none.
  const VertexId* hints(const Device& device) override {
    return hinted() ? on(device).hints() : nullptr;
  }
  /// Of all links together.
  double link_ceiling() const override;
  std::optional<CsrView> host_lists() const override { return lists_.csr; }
  std::size_t cache_bytes() const override;
  Traffic traffic() const override;
  void report_host_memory(HostMemoryReport& report) const override;

 private:
  cuda::PageStream& on(const Device& device) {
    return *stream_[static_cast<std::size_t>(device.index())];
  }
  bool reads_in_place() const { return lists_.paging.page_move == PageMove::InPlace; }
  void pin(bool weights, bool whole);
  bool hinted() const;
  void prepare_hints(bool weights);
  void settle() const noexcept;

  const Context* ctx_;
  std::shared_ptr<const void> owner_;
  cuda::StreamedLists lists_;
  std::vector<std::unique_ptr<cuda::PageStream>> stream_;  // [devices]
};

}  // namespace fathom
