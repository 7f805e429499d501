// What was found of edges in slots, as rows of a result.
#pragma once

#include <vector>

#include "fathom/algorithms/ktruss/ktruss.hpp"

namespace fathom::detail {

/// [vertices + 1], where lists begin.
Array<EdgeId> offsets_on_host(const Context& ctx, EdgeSource& lists);

struct PeeledEdges {
  Array<VertexId> head;              // [edges] by slots
  Array<std::uint32_t> round;        // [edges]: kPeeledEdge, and when it was peeled
  std::vector<std::uint32_t> level;  // of each round: of the edges that are then left all are in
                                     // more triangles, but those that go
};

/// `offset` ([vertices + 1]): where lists begin.
/// @throws Error(BadInput) for rounds that there were none of: lists are not in order.
KtrussResult truss_rows(const Context& ctx, const Array<EdgeId>& offset, PeeledEdges&& edges,
                        const KtrussOptions& options);

}  // namespace fathom::detail
