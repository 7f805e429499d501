// The kept edges of lists in one address range, shown to the host where all of them lie.
#pragma once

#include <memory>

#include "fathom/residency/edge_source.hpp"
#include "fathom/residency/filtered/kept_edges.hpp"

namespace fathom {

class FATHOM_API FilteredSource final : public EdgeSource {
 public:
  /// `all` are the lists with every edge, which `owner` keeps alive. Of several ranks each shows
  /// the lists of as many kept edges. Cost: 8 bytes of host memory per vertex.
  FilteredSource(const Context& ctx, const CsrView& all, std::shared_ptr<const KeptEdges> kept,
                 std::shared_ptr<const void> owner);

  void sweep(const Context& ctx, Frontier& active, const SweepOptions& options,
             FunctionRef<void(const Pass&)> pass) override;
  /// Shows a copy of the kept edges, made when first asked for.
  void sweep_pairs(const Context& ctx, FunctionRef<void(const PairPass&)> pass) override;
  std::optional<AnyEdges> whole(const SweepOptions& options) const override;
  bool comes_whole() const override { return !shared_; }
  std::optional<VertexRange> own_lists() const override { return shown_; }
  const EdgeId* offsets(const Device&) override { return offset_.data(); }
  std::unique_ptr<ListReader> read_lists() override;

 private:
  FilteredEdges edges(EdgeId limit) const;

  CsrView all_;
  std::shared_ptr<const KeptEdges> kept_;
  std::shared_ptr<const void> owner_;
  Array<EdgeId> offset_;
  bool shared_;        // by several ranks
  VertexRange shown_;  // the vertices whose lists this one shows
  Csr copy_;           // for pairs; empty until then
};

}  // namespace fathom
