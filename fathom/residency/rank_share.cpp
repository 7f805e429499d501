#include "fathom/residency/rank_share.hpp"

#include "fathom/exec/ranks/replica_group.hpp"
#include "fathom/graph/lists/edge_shares.hpp"

namespace fathom {

VertexRange share_of_rank(const Context& ctx, const EdgeId* offset, VertexId vertices) {
  return share_of_rank(ctx.group().rank(), ctx.ranks(), offset, vertices);
}

VertexRange share_of_rank(int rank, int ranks, const EdgeId* offset, VertexId vertices) {
  return {graph::share_begins(offset, vertices, ranks, rank),
          graph::share_begins(offset, vertices, ranks, rank + 1)};
}

}  // namespace fathom
