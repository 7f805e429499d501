#include "fathom/algorithms/biconnected/preorder.hpp"

#include <utility>

namespace fathom {

Preorder number_forest(const Context& ctx, std::span<const VertexId> parent) {
  const auto n = static_cast<VertexId>(parent.size());
  Array<VertexId> size(n, 1, ctx.host_memory()), open(n, 0, ctx.host_memory());
  Array<VertexId> order(n, ctx.host_memory());
  // Children before parents: who has no open child left comes next.
  for (VertexId v = 0; v < n; ++v)
    if (parent[v] != v) ++open[parent[v]];
  VertexId found = 0;
  for (VertexId v = 0; v < n; ++v)
    if (open[v] == 0) order[found++] = v;
  for (VertexId i = 0; i < found; ++i) {
    const VertexId v = order[i], above = parent[v];
    if (above == v) continue;
    size[above] += size[v];
    if (--open[above] == 0) order[found++] = above;
  }
  // Parents before children: each gets the next numbers below its parent.
  Array<VertexId> number(n, ctx.host_memory());
  Array<VertexId>& next = open;  // that a child of v gets
  VertexId next_root = 0;
  for (VertexId i = n; i-- > 0;) {
    const VertexId v = order[i];
    VertexId& its = parent[v] == v ? next_root : next[parent[v]];
    number[v] = its;
    its += size[v];
    next[v] = number[v] + 1;
  }
  Array<VertexId>&up = order, &last = open;
  for (VertexId v = 0; v < n; ++v) {
    up[number[v]] = number[parent[v]];
    last[number[v]] = number[v] + size[v] - 1;
  }
  return {std::move(number), std::move(up), std::move(last)};
}

}  // namespace fathom
