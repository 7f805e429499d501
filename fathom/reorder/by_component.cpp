#include "fathom/reorder/by_component.hpp"

#include "fathom/reorder/sorting.hpp"

namespace fathom::reorder {

Array<VertexId> by_component(const Context& ctx, const ComponentsResult& components,
                             std::span<const VertexId> order) {
  const Array<VertexId>& label = components.label;
  Array<VertexId> size(label.size(), 0, ctx.host_memory());
  for (const VertexId l : label) ++size[l];
  // What is no label has size 0 and comes last.
  const Array<VertexId> largest_first =
      stable_order(ctx, natural_order(ctx, static_cast<VertexId>(label.size())).span(),
                   [&](VertexId v) { return ~std::uint64_t{size[v]}; });
  const Array<VertexId> place = places_in(ctx, largest_first.span());
  return stable_order(ctx, order, [&](VertexId v) { return std::uint64_t{place[label[v]]}; });
}

}  // namespace fathom::reorder
