// Edges in pages that a supply brings, as many at a time as fit: graphs larger than the memory
// kernels can reach (GTS, sections 3 and 4: topology moves, attributes stay).
//
// On the host, kernels use pages where the supply has them, while it reads others. Devices get
// copies in frames: pages are dealt out to them in turn (strategy P). Frames take what the device
// has left when a sweep begins, keep their pages from one sweep to the next, and give way when an
// algorithm allocates state.
#pragma once

#include <memory>
#include <vector>

#include "fathom/graph/csr.hpp"
#include "fathom/residency/edge_source.hpp"
#include "fathom/residency/page_supply.hpp"
#include "fathom/residency/paging_options.hpp"

namespace fathom {

class FATHOM_API PagedSource final : public EdgeSource {
 public:
  /// The context outlives the source. Offsets and a few bytes per page go to each device.
  /// @throws Error(DoesNotFit) when they do not fit; what the supply throws.
  PagedSource(const Context& ctx, std::unique_ptr<PageSupply> supply,
              const PagingOptions& options = {});
  /// Of host arrays, which `owner` keeps alive.
  PagedSource(const Context& ctx, const CsrView& csr, std::shared_ptr<const void> owner,
              const PagingOptions& options = {});
  ~PagedSource() override;

  void sweep(const Context& ctx, Frontier& active, const SweepOptions& options,
             FunctionRef<void(const Pass&)> pass) override;
  void sweep_pairs(const Context& ctx, FunctionRef<void(const PairPass&)> pass) override;
  std::optional<AnyEdges> whole(const SweepOptions&) const override { return std::nullopt; }
  const EdgeId* offsets(const Device& device) override;
  std::optional<CsrView> host_lists() const override { return supply_->arrays(); }
  std::unique_ptr<ListReader> read_lists() override;
  std::size_t cache_bytes() const override { return cache_bytes_; }
  Traffic traffic() const override;

  std::size_t pages() const { return pages_; }
  /// Calls of `pass` so far, over all sweeps and devices.
  std::uint64_t passes() const { return passes_; }

 private:
  class Lists;  // what read_lists() gives
  friend class Lists;
  static constexpr std::size_t kNoPage = ~std::size_t{0};

  /// What lives on one device. Frames are one block, so that sweep_pairs can use it in halves.
  struct Replica {
    const Device* device = nullptr;
    int cache_handle = 0;
    Array<EdgeId> offset;
    // The tables that kernels see; all null between passes.
    Array<const VertexId*> page_target;
    Array<const Weight*> page_weight;
    Array<std::uint64_t> wanted;  // a bit per page, set by a kernel
    std::size_t frames = 0;
    Array<VertexId> target;
    Array<Weight> weight;  // empty until a sweep wants weights
    // Host side, [frames].
    std::vector<std::size_t> page_in_frame;
    std::vector<std::uint8_t> has_weights;
    std::size_t next_frame = 0;  // where the replacement hand stands
  };

  /// A page that the next pass shows.
  struct Shown {
    std::size_t page;
    const VertexId* target;
    const Weight* weight;  // null: not wanted
  };

  void load_offsets();
  void obtain_frames(Replica& replica, bool weights, std::size_t bytes);
  static void release_frames(Replica& replica);
  std::vector<std::size_t> wanted_pages(const Context& ctx, Replica& replica,
                                        const Frontier& active, EdgeId first);
  void sweep_in_place(const Context& ctx, const std::vector<std::size_t>& wanted,
                      const SweepOptions& options, FunctionRef<void(const Pass&)> pass);
  void sweep_frames(const Context& ctx, Replica& replica, const std::vector<std::size_t>& wanted,
                    const SweepOptions& options, FunctionRef<void(const Pass&)> pass);
  Shown in_frame(const Replica& replica, std::size_t frame, bool weights) const;
  void fill(const Context& ctx, Replica& replica, const SuppliedPage& page, std::size_t frame);
  void show(const Context& ctx, Replica& replica, const std::vector<Shown>& pages,
            const SweepOptions& options, FunctionRef<void(const Pass&)> pass);
  EdgeId offset_at(VertexId v) const;
  std::vector<VertexId> cut_into_whole_lists(std::size_t capacity) const;
  FlatEdges load_lists(const Context& ctx, Replica& replica, VertexId first, VertexId last,
                       std::size_t half);

  const Context* ctx_;
  std::unique_ptr<PageSupply> supply_;
  bool in_place_;
  std::uint32_t page_shift_;
  std::size_t pages_;
  std::size_t frames_asked_;
  std::vector<VertexId> page_vertex_;  // [pages]: whose list the page's first edge belongs to
  std::vector<Replica> replica_;
  Traffic traffic_;
  std::uint64_t passes_ = 0;
  std::size_t cache_bytes_ = 0;
  std::shared_ptr<Trace> trace_;
  bool sweeping_ = false;  // frames in use do not give way
};

}  // namespace fathom
