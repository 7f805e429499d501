// Edges in pages that are copied into the page frames of one or more devices, as many at a time as
// fit: graphs larger than the memory kernels can reach (GTS, sections 3 and 4: topology moves,
// attributes stay).
//
// Pages are dealt out to devices in turn (strategy P). Frames take what the device has left when a
// sweep begins, keep their pages from one sweep to the next, and give way when an algorithm
// allocates state.
#pragma once

#include <memory>
#include <vector>

#include "fathom/graph/csr.hpp"
#include "fathom/residency/edge_source.hpp"

namespace fathom {

struct PagingOptions {
  std::size_t page_bytes = std::size_t{1} << 20;  // of targets; a power of two of at least 4
  std::size_t frames = 0;                         // per device; 0: what its memory leaves
};

class FATHOM_API PagedSource final : public EdgeSource {
 public:
  /// The context outlives the source. `owner` keeps the host arrays alive.
  /// @throws Error(Usage) for a page size that is no power of two; Error(DoesNotFit) when the
  ///         offsets do not fit a device.
  PagedSource(const Context& ctx, const CsrView& csr, std::shared_ptr<const void> owner,
              const PagingOptions& options = {});
  ~PagedSource() override;

  void sweep(const Context& ctx, Frontier& active, const SweepOptions& options,
             FunctionRef<void(const Pass&)> pass) override;
  void sweep_pairs(const Context& ctx, FunctionRef<void(const PairPass&)> pass) override;
  std::optional<AnyEdges> whole(const SweepOptions&) const override { return std::nullopt; }
  const EdgeId* offsets(const Device& device) override;
  std::optional<CsrView> host_lists() const override { return csr_; }
  Traffic traffic() const override { return traffic_; }

  std::size_t pages() const { return pages_; }
  /// Calls of `pass` so far, over all sweeps and devices.
  std::uint64_t passes() const { return passes_; }

 private:
  static constexpr std::size_t kNoPage = ~std::size_t{0};

  /// What lives on one device. Frames are one block, so that sweep_pairs can use it in halves.
  struct Replica {
    const Device* device = nullptr;
    int cache_handle = 0;
    Array<EdgeId> offset;
    Array<const VertexId*> page_target;  // the table kernels see, rewritten for each pass
    Array<const Weight*> page_weight;
    Array<std::uint64_t> wanted;  // a bit per page, set by a kernel
    std::size_t frames = 0;
    Array<VertexId> target;
    Array<Weight> weight;
    std::vector<std::size_t> page_in_frame;  // host side
    std::size_t next_frame = 0;              // where the replacement hand stands
  };

  void obtain_frames(Replica& replica);
  static void release_frames(Replica& replica);
  std::vector<std::size_t> wanted_pages(const Context& ctx, Replica& replica,
                                        const Frontier& active, EdgeId first);
  void sweep_device(const Context& ctx, Replica& replica, const std::vector<std::size_t>& wanted,
                    const SweepOptions& options, FunctionRef<void(const Pass&)> pass);
  void fetch(const Context& ctx, Replica& replica, std::size_t page, std::size_t frame);
  void show(const Context& ctx, Replica& replica, const std::vector<std::size_t>& frames,
            const SweepOptions& options, FunctionRef<void(const Pass&)> pass);
  VertexId vertex_at(EdgeId position) const;
  std::vector<VertexId> cut_into_whole_lists(std::size_t capacity) const;
  FlatEdges load_lists(const Context& ctx, Replica& replica, VertexId first, VertexId last,
                       std::size_t half);

  const Context* ctx_;
  CsrView csr_;
  std::shared_ptr<const void> owner_;
  std::uint32_t page_shift_;
  std::size_t pages_;
  std::size_t frames_asked_;
  std::vector<Replica> replica_;
  Traffic traffic_;
  std::uint64_t passes_ = 0;
  bool sweeping_ = false;  // frames in use do not give way
};

}  // namespace fathom
