// Edges in one address range that kernels can load from: the resident and mapped graph on a CPU.
#pragma once

#include <functional>
#include <memory>
#include <mutex>

#include "fathom/graph/csr.hpp"
#include "fathom/residency/edge_source.hpp"

namespace fathom {

class FATHOM_API FlatSource final : public EdgeSource {
 public:
  /// `owner` keeps the arrays alive. `pairs`, when not null, holds the same lists interleaved. Of
  /// several ranks each shows the lists of as many edges.
  FlatSource(const Context& ctx, const CsrView& csr, std::shared_ptr<const void> owner,
             const InterleavedEdges::Pair* pairs = nullptr);
  /// Weighted lists as pairs. `plain` gives the same in two arrays, which are not touched before
  /// somebody asks for targets alone: they take as much memory again.
  FlatSource(const Context& ctx, VertexId vertices, EdgeId edges, const EdgeId* offset,
             const InterleavedEdges::Pair* pairs, std::function<CsrView()> plain,
             std::shared_ptr<const void> owner);

  void sweep(const Context& ctx, Frontier& active, const SweepOptions& options,
             FunctionRef<void(const Pass&)> pass) override;
  void sweep_pairs(const Context& ctx, FunctionRef<void(const PairPass&)> pass) override;
  std::optional<AnyEdges> whole(const SweepOptions& options) const override;
  bool comes_whole() const override { return !shared_; }
  std::optional<VertexRange> own_lists() const override { return shown_; }
  void prepare(const Context& ctx, const SweepOptions& options) override;
  const EdgeId* offsets(const Device&) override { return offset_; }
  std::optional<CsrView> host_lists() const override { return plain(); }

 private:
  bool by_pairs(const SweepOptions& options) const { return options.weights && pairs_; }
  const CsrView& plain() const;
  AnyEdges all(const SweepOptions& options) const;

  const EdgeId* offset_;
  const InterleavedEdges::Pair* pairs_;
  const std::function<CsrView()> plain_;  // empty: csr_ is there
  mutable std::once_flag asked_;
  mutable CsrView csr_{};
  std::shared_ptr<const void> owner_;
  bool shared_;        // by several ranks
  VertexRange shown_;  // the vertices whose lists this one shows
};

}  // namespace fathom
