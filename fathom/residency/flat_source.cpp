#include "fathom/residency/flat_source.hpp"

namespace fathom {

std::optional<AnyEdges> FlatSource::whole(const SweepOptions& options) const {
  if (options.weights && pairs_) return InterleavedEdges{csr_.offset, pairs_, options.first};
  return FlatEdges{csr_.offset, csr_.target, csr_.weight, 0, options.first};
}

void FlatSource::sweep(const Context& ctx, Frontier& active, const SweepOptions& options,
                       FunctionRef<void(const Pass&)> pass) {
  if (!active.empty()) pass({ctx.devices()[0], *whole(options), 0, vertices()});
}

void FlatSource::sweep_pairs(const Context& ctx, FunctionRef<void(const PairPass&)> pass) {
  const FlatEdges all{csr_.offset, csr_.target, nullptr, 0, kWholeList};
  pass({ctx.devices()[0], all, 0, vertices(), all, 0, vertices()});
}

}  // namespace fathom
