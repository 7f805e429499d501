// Edges in one address range that kernels can load from: the resident and mapped graph on a CPU.
#pragma once

#include <memory>

#include "fathom/graph/csr.hpp"
#include "fathom/residency/edge_source.hpp"

namespace fathom {

class FATHOM_API FlatSource final : public EdgeSource {
 public:
  /// `owner` keeps the arrays alive. `pairs`, when not null, holds the same lists interleaved.
  FlatSource(const CsrView& csr, std::shared_ptr<const void> owner,
             const InterleavedEdges::Pair* pairs = nullptr)
      : EdgeSource(csr.vertices, csr.edges, csr.weight != nullptr),
        csr_(csr),
        pairs_(pairs),
        owner_(std::move(owner)) {}

  void sweep(const Context& ctx, Frontier& active, const SweepOptions& options,
             FunctionRef<void(const Pass&)> pass) override;
  void sweep_pairs(const Context& ctx, FunctionRef<void(const PairPass&)> pass) override;
  std::optional<AnyEdges> whole(const SweepOptions& options) const override;
  const EdgeId* offsets(const Device&) override { return csr_.offset; }
  std::optional<CsrView> host_lists() const override { return csr_; }

 private:
  CsrView csr_;
  const InterleavedEdges::Pair* pairs_;
  std::shared_ptr<const void> owner_;
};

}  // namespace fathom
