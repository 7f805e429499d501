#include "fathom/reorder/neighbourhood.hpp"

#include <utility>

#include "fathom/ops/advance.hpp"
#include "fathom/ops/gather.hpp"
#include "fathom/reorder/reorder_functors.hpp"
#include "fathom/reorder/sorting.hpp"

namespace fathom::reorder {
namespace {

/// [v]: the place among the centres of the one in whose turn v is labelled.
Array<VertexId> turns(const Context& ctx, const Graph& graph, std::span<const VertexId> place) {
  VertexArray<VertexId> rank(ctx, place.size());
  VertexArray<VertexId, MergeMin> claim(ctx, place.size());
  rank.assign(place);
  claim.assign(place);
  Frontier all(ctx, graph.vertices());
  all.fill();
  if (graph.has_in())
    gather(ctx, graph.in(), all, nullptr, [&](const Device& d) {
      return ClaimByNeighbours{rank.on(d), claim.on(d)};
    });
  else
    advance(ctx, graph.out(), all, nullptr, [&](const Device& d) {
      return ClaimNeighbours{rank.on(d), claim.on(d)};
    });
  merge(claim);
  return std::move(claim).take();
}

}  // namespace

Array<VertexId> with_neighbours(const Context& ctx, const Graph& graph,
                                std::span<const VertexId> centres, bool by_rank) {
  const Array<VertexId> place = places_in(ctx, centres);
  const Array<VertexId> turn = turns(ctx, graph, place);
  const auto key = [&](VertexId v) {
    return std::uint64_t{turn[v]} << 1 | (turn[v] == place[v] ? 0u : 1u);
  };
  if (by_rank) return stable_order(ctx, centres, key);
  return stable_order(ctx, natural_order(ctx, graph.vertices()), key);
}

}  // namespace fathom::reorder
