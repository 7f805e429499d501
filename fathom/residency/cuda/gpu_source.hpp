// Edges that one GPU can load from directly: in its own memory, in host memory over the link
// (EMOGI, sections 3 and 4), or in unified memory that the driver migrates. One pass shows them
// all.
//
// Offsets are always in device memory. Arrays are placed when a sweep first needs them, or by
// prepare(): targets alone for functors that read no weights, {target, weight} pairs for those that
// do, so that one line holds both. Narrow lists, and others that are narrowed as they are placed,
// are one array for all functors.
//
// What of them is in device memory can be made again: arrays, copies of lists that are in host
// memory, and hints share what the device has to spare (spare_memory.hpp) and give way. A sweep
// holds what it shows, whole() and hints() until the run ends.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "fathom/graph/csr.hpp"
#include "fathom/residency/cuda/entries.hpp"
#include "fathom/residency/cuda/kept_hints.hpp"
#include "fathom/residency/cuda/link_counts.hpp"
#include "fathom/residency/edge_source.hpp"
#include "fathom/residency/gpu_options.hpp"
#include "fathom/residency/host_memory.hpp"
#include "fathom/store/narrow/narrowing.hpp"

namespace fathom {

class SpareMemory;

class GpuSource final : public EdgeSource {
 public:
  enum class Place {
    Device,
    DeviceIfRoom,  // beside the vertex state of the run (run_lists.hpp); else Host
    Host,
    Managed
  };

  /// The context is a CUDA one and outlives the source. `owner` keeps the host arrays alive;
  /// `pairs` may hold the same lists interleaved.
  /// @throws Error(Usage) for an id width that is neither 4 nor 8, and for lists that cannot be
  /// narrowed (store::Narrowing); Error(DoesNotFit).
  GpuSource(const Context& ctx, const CsrView& csr, std::shared_ptr<const void> owner,
            const InterleavedEdges::Pair* pairs, Place place, const GpuEdgeOptions& options);
  /// The same of narrow lists. @throws Error(Usage) for any id width but 4, which stands for their
  /// own.
  GpuSource(const Context& ctx, const store::NarrowLists& lists, std::shared_ptr<const void> owner,
            Place place, const GpuEdgeOptions& options);
  ~GpuSource() override;

  void sweep(const Context& ctx, Frontier& active, const SweepOptions& options,
             FunctionRef<void(const Pass&)> pass) override;
  void sweep_pairs(const Context& ctx, FunctionRef<void(const PairPass&)> pass) override;
  std::optional<AnyEdges> whole(const SweepOptions& options) const override;
  void prepare(const Context& ctx, const SweepOptions& options) override;
  const EdgeId* offsets(const Device&) override { return offset_.data(); }
  const VertexId* hints(const Device&) override { return hints_.data(); }
  EdgeId near_edges() const override;
  double link_ceiling() const override { return link_ceiling_; }
  std::optional<CsrView> host_lists() const override {
    return narrow_ && !narrowing_ ? std::nullopt : std::optional(csr_);
  }
  Traffic traffic() const override { return counts_.traffic(); }
  void report_host_memory(HostMemoryReport& report) const override;

 private:
  struct Layout;  // one of the two forms the lists are placed in

  void narrow_here(int id_bits);
  void start();
  Layout& layout(bool weights);
  /// Whether its arrays go to device memory now.
  bool goes_near(const Layout& layout) const;
  void place(Layout& layout, bool near);
  void place_near(Layout& layout);
  detail::Entries entries(detail::Entries::Form form) const;
  template <class Visit>
  static void for_each_array(Layout& layout, const Visit& visit);
  void drop(Layout& layout) const;
  /// Device memory that copies of all lists would take; 0: none are made.
  std::size_t cache_use(const Layout& layout) const;
  void fill_cache(Layout& layout, std::size_t bytes);
  void start_cold(const Layout& layout) const;
  AnyEdges view(const Layout& layout, const SweepOptions& options) const;
  std::uint32_t entry_bits(const Layout& layout) const;
  SpareMemory& spare() const;

  const Context* ctx_;
  CsrView csr_;                                // of lists that are narrow on the host: the offsets
  std::optional<store::Narrowing> narrowing_;  // of those that are not
  std::optional<store::NarrowLists> narrow_;   // without words where they are narrowed here
  std::shared_ptr<const void> owner_;
  const InterleavedEdges::Pair* pairs_;
  Place place_;
  GpuEdgeOptions options_;
  double link_ceiling_ = 0;
  Array<EdgeId> offset_;
  Array<Weight> value_;  // of the codes of narrow lists
  KeptHints hints_;
  LinkCounts counts_;
  std::unique_ptr<Layout> plain_, weighted_;
};

}  // namespace fathom
