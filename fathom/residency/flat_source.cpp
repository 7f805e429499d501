#include "fathom/residency/flat_source.hpp"

namespace fathom {

const CsrView& FlatSource::plain() const {
  if (plain_) std::call_once(asked_, [&] { csr_ = plain_(); });
  return csr_;
}

void FlatSource::prepare(const Context&, const SweepOptions& options) {
  if (!by_pairs(options)) plain();
}

std::optional<AnyEdges> FlatSource::whole(const SweepOptions& options) const {
  if (by_pairs(options)) return InterleavedEdges{offset_, pairs_, options.first};
  const CsrView& csr = plain();
  return FlatEdges{offset_, csr.target, csr.weight, 0, options.first};
}

void FlatSource::sweep(const Context& ctx, Frontier& active, const SweepOptions& options,
                       FunctionRef<void(const Pass&)> pass) {
  if (!active.empty()) pass({ctx.devices()[0], *whole(options), 0, vertices()});
}

void FlatSource::sweep_pairs(const Context& ctx, FunctionRef<void(const PairPass&)> pass) {
  const FlatEdges all{offset_, plain().target, nullptr, 0, kWholeList};
  pass({ctx.devices()[0], all, 0, vertices(), all, 0, vertices()});
}

}  // namespace fathom
