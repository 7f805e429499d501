// Edges that one GPU can load from directly: in its own memory, in host memory over the link
// (EMOGI, sections 3 and 4), or in unified memory that the driver migrates. One pass shows them
// all.
//
// Offsets are always in device memory. Arrays are placed when a sweep first needs them, or by
// prepare(): targets alone for functors that read no weights, {target, weight} pairs for those that
// do, so that one line holds both.
#pragma once

#include <memory>

#include "fathom/graph/csr.hpp"
#include "fathom/residency/edge_source.hpp"
#include "fathom/residency/gpu_options.hpp"

namespace fathom {

class GpuSource final : public EdgeSource {
 public:
  enum class Place { Device, Host, Managed };

  /// The context is a CUDA one and outlives the source. `owner` keeps the host arrays alive;
  /// `pairs` may hold the same lists interleaved.
  /// @throws Error(Usage) for an id width that is neither 4 nor 8; Error(DoesNotFit).
  GpuSource(const Context& ctx, const CsrView& csr, std::shared_ptr<const void> owner,
            const InterleavedEdges::Pair* pairs, Place place, const GpuEdgeOptions& options);
  ~GpuSource() override;

  void sweep(const Context& ctx, Frontier& active, const SweepOptions& options,
             FunctionRef<void(const Pass&)> pass) override;
  void sweep_pairs(const Context& ctx, FunctionRef<void(const PairPass&)> pass) override;
  std::optional<AnyEdges> whole(const SweepOptions& options) const override;
  void prepare(const Context& ctx, const SweepOptions& options) override;
  const EdgeId* offsets(const Device&) override { return offset_.data(); }
  const VertexId* hints(const Device&) override { return hint_.data(); }
  EdgeId near_edges() const override;
  double link_ceiling() const override { return link_ceiling_; }
  std::optional<CsrView> host_lists() const override { return csr_; }
  Traffic traffic() const override;

  /// Device memory that edges (but not offsets) of `csr` would take resident, as one algorithm
  /// needs them.
  static std::size_t resident_bytes(const CsrView& csr);

 private:
  struct Layout;  // one of the two forms the lists are placed in

  Layout& layout(bool weights);
  void place(Layout& layout, bool weights);
  LinkWindow window(const Layout& layout) const;

  const Context* ctx_;
  CsrView csr_;
  std::shared_ptr<const void> owner_;
  const InterleavedEdges::Pair* pairs_;
  Place place_;
  GpuEdgeOptions options_;
  double link_ceiling_ = 0;
  Array<EdgeId> offset_;
  Array<VertexId> hint_;
  Array<unsigned long long> counts_;  // [2]: requests, bytes read over the link
  std::unique_ptr<Layout> plain_, weighted_;
};

}  // namespace fathom
