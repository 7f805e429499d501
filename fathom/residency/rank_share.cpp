#include "fathom/residency/rank_share.hpp"

#include <algorithm>

#include "fathom/exec/ranks/replica_group.hpp"

namespace fathom {

VertexRange share_of_rank(const Context& ctx, const EdgeId* offset, VertexId vertices) {
  return share_of_rank(ctx.group().rank(), ctx.ranks(), offset, vertices);
}

VertexRange share_of_rank(int rank, int ranks, const EdgeId* offset, VertexId vertices) {
  if (ranks == 1) return {0, vertices};
  const auto begin_of = [&](int at_rank) {
    if (at_rank == ranks) return vertices;
    // edges * rank / ranks without overflow
    const auto r = static_cast<EdgeId>(at_rank), all = static_cast<EdgeId>(ranks);
    const EdgeId edges = offset[vertices], at = edges / all * r + edges % all * r / all;
    if (at_rank == 0) return VertexId{0};
    return static_cast<VertexId>(std::lower_bound(offset, offset + vertices, at) - offset);
  };
  return {begin_of(rank), begin_of(rank + 1)};
}

}  // namespace fathom
