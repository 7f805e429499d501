// Edges in slotted pages (GTS, sections 3 and 4): all of them in sight at once, or copied into the
// page frames of one or more devices, as many at a time as fit.
//
// What is particular to slotted pages: which pages a vertex needs, and the tables that the view
// decodes record ids by (START_VID and LP_RANGE, an index of them, where each page is now).
#pragma once

#include <memory>
#include <vector>

#include "fathom/residency/edge_source.hpp"
#include "fathom/store/slotted.hpp"

namespace fathom {

class FATHOM_API SlottedSource final : public EdgeSource {
 public:
  enum class Place {
    Mapped,    // where they are; the host alone
    Resident,  // all in the memory of the only device
    Stream,    // in frames, dealt out to devices in turn (strategy P)
  };

  /// The context outlives the source. `owner` keeps the pages alive. `frames`: per device; 0: what
  /// its memory leaves.
  /// @throws Error(DoesNotFit) when the offsets, or all pages of a Resident source, do not fit;
  ///         Error(BadInput) when pages that are read now are damaged.
  SlottedSource(const Context& ctx, store::SlottedLists lists, std::shared_ptr<const void> owner,
                Place place, std::size_t frames = 0);
  ~SlottedSource() override;

  void sweep(const Context& ctx, Frontier& active, const SweepOptions& options,
             FunctionRef<void(const Pass&)> pass) override;
  /// @throws Error(Internal): pairs of lists are those of degree-oriented lists, which are flat.
  void sweep_pairs(const Context& ctx, FunctionRef<void(const PairPass&)> pass) override;
  std::optional<AnyEdges> whole(const SweepOptions& options) const override;
  const EdgeId* offsets(const Device& device) override;
  /// Unpacks the pages when first asked for: as many bytes as the graph has in CSR.
  std::optional<CsrView> host_lists() const override;
  Traffic traffic() const override { return traffic_; }

  std::size_t pages() const { return lists_.rvt.size(); }
  /// Calls of `pass` so far, over all sweeps and devices.
  std::uint64_t passes() const { return passes_; }

 private:
  static constexpr std::size_t kNoPage = ~std::size_t{0};

  /// What lives on one device.
  struct Replica {
    const Device* device = nullptr;
    int cache_handle = 0;
    Array<EdgeId> offset;
    Array<VertexId> start_vid;
    Array<store::LargePage> large;
    Array<std::uint32_t> hint;
    Array<const std::byte*> page_at;  // the table kernels see
    Array<std::uint64_t> wanted;      // a bit per page, set by a kernel
    std::size_t frames = 0;
    Array<std::byte> frame;
    std::vector<std::size_t> page_in_frame;  // host side
    std::size_t next_frame = 0;              // where the replacement hand stands
  };

  SlottedEdges view(const Replica& replica, EdgeId limit) const;
  void put_tables(Replica& replica);
  void put_page_table(Replica& replica, const std::vector<const std::byte*>& at);
  void show_where_they_are(Replica& replica);
  void make_resident(Replica& replica);
  void obtain_frames(Replica& replica);
  static void release_frames(Replica& replica);
  std::vector<std::size_t> wanted_pages(const Context& ctx, Replica& replica,
                                        const Frontier& active, EdgeId first);
  void sweep_device(const Context& ctx, Replica& replica, const std::vector<std::size_t>& wanted,
                    EdgeId first, FunctionRef<void(const Pass&)> pass);
  void fetch(Replica& replica, std::size_t page, std::size_t frame);
  void show(Replica& replica, const std::vector<std::size_t>& frames, EdgeId first,
            FunctionRef<void(const Pass&)> pass);

  const Context* ctx_;
  store::SlottedLists lists_;
  std::shared_ptr<const void> owner_;
  Place place_;
  store::RvtTables tables_;
  std::size_t frames_asked_;
  std::vector<Replica> replica_;
  mutable std::optional<Csr> unpacked_;
  Traffic traffic_;
  std::uint64_t passes_ = 0;
  bool sweeping_ = false;  // frames in use do not give way
};

}  // namespace fathom
