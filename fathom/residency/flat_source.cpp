#include "fathom/residency/flat_source.hpp"

#include "fathom/residency/rank_share.hpp"

namespace fathom {

FlatSource::FlatSource(const Context& ctx, const CsrView& csr, std::shared_ptr<const void> owner,
                       const InterleavedEdges::Pair* pairs)
    : EdgeSource(csr.vertices, csr.edges, csr.weight != nullptr),
      offset_(csr.offset),
      pairs_(pairs),
      csr_(csr),
      owner_(std::move(owner)),
      shared_(ctx.ranks() > 1),
      shown_(share_of_rank(ctx, csr.offset, csr.vertices)) {}

FlatSource::FlatSource(const Context& ctx, VertexId vertices, EdgeId edges, const EdgeId* offset,
                       const InterleavedEdges::Pair* pairs, std::function<CsrView()> plain,
                       std::shared_ptr<const void> owner)
    : EdgeSource(vertices, edges, true),
      offset_(offset),
      pairs_(pairs),
      plain_(std::move(plain)),
      owner_(std::move(owner)),
      shared_(ctx.ranks() > 1),
      shown_(share_of_rank(ctx, offset, vertices)) {}

const CsrView& FlatSource::plain() const {
  if (plain_) std::call_once(asked_, [&] { csr_ = plain_(); });
  return csr_;
}

void FlatSource::prepare(const Context&, const SweepOptions& options) {
  if (!by_pairs(options)) plain();
}

std::optional<AnyEdges> FlatSource::whole(const SweepOptions& options) const {
  if (shared_) return std::nullopt;
  return all(options);
}

AnyEdges FlatSource::all(const SweepOptions& options) const {
  if (by_pairs(options)) return InterleavedEdges{offset_, pairs_, options.first};
  const CsrView& csr = plain();
  return FlatEdges{offset_, csr.target, csr.weight, 0, options.first};
}

void FlatSource::sweep(const Context& ctx, Frontier& active, const SweepOptions& options,
                       FunctionRef<void(const Pass&)> pass) {
  if (active.empty() || shown_.size() == 0) return;
  pass({ctx.devices()[0], all(options), shown_.first, shown_.last});
}

void FlatSource::sweep_pairs(const Context& ctx, FunctionRef<void(const PairPass&)> pass) {
  const FlatEdges all{offset_, plain().target, nullptr, 0, kWholeList};
  if (shown_.size() > 0)
    pass({ctx.devices()[0], all, shown_.first, shown_.last, all, 0, vertices()});
}

}  // namespace fathom
