#include "fathom/residency/rank_share.hpp"

#include <algorithm>

#include "fathom/exec/ranks/replica_group.hpp"

namespace fathom {

VertexRange share_of_rank(const Context& ctx, const EdgeId* offset, VertexId vertices) {
  if (ctx.ranks() == 1) return {0, vertices};
  const auto ranks = static_cast<EdgeId>(ctx.ranks());
  const auto begin_of = [&](int rank) {
    if (rank == ctx.ranks()) return vertices;
    // edges * rank / ranks without overflow
    const auto r = static_cast<EdgeId>(rank);
    const EdgeId edges = offset[vertices], at = edges / ranks * r + edges % ranks * r / ranks;
    if (rank == 0) return VertexId{0};
    return static_cast<VertexId>(std::lower_bound(offset, offset + vertices, at) - offset);
  };
  const int rank = ctx.group().rank();
  return {begin_of(rank), begin_of(rank + 1)};
}

}  // namespace fathom
