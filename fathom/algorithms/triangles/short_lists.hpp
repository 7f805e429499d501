// Triangles of an undirected graph whose lists are short, as they are stored: nothing is built.
#pragma once

#include <optional>
#include <vector>

#include "fathom/exec/cpu/for_active.hpp"
#include "fathom/ops/intersect.hpp"
#include "fathom/residency/graph.hpp"

namespace fathom::detail {

/// The lists of an undirected graph where the host has them as they are, and they are short.
std::optional<FlatEdges> short_lists(const Context& ctx, const Graph& graph);

}  // namespace fathom::detail

namespace fathom::cpu {

/// The triangles u > v > w of one u. Lists ascend, and may hold loops and duplicates.
template <IntersectFunctor F>
std::uint64_t count_below(const FlatEdges& edges, VertexId u, const F& f) {
  const auto mine = list_of(edges, u);
  const auto past = [](const PlainSpan& s, std::uint32_t i) {  // the duplicates of entry i
    const VertexId v = s.target(i);
    while (i < s.size && s.target(i) == v) ++i;
    return i;
  };
  std::uint64_t triangles = 0;
  if (mine.size < 2 || mine.target(1) >= u) return 0;
  // Below the first entry there is none.
  for (std::uint32_t i = past(mine, 0); i < mine.size && mine.target(i) < u; i = past(mine, i)) {
    const VertexId v = mine.target(i);
    const auto other = list_of(edges, v);
    std::uint64_t common = 0;
    for (std::uint32_t a = 0, b = 0; a < i && b < other.size && other.target(b) < v;) {
      const VertexId x = mine.target(a), y = other.target(b);
      if (x == y) {
        ++common;
        f.credit(x, 1);
      }
      if (x <= y) a = past(mine, a);
      if (y <= x) b = past(other, b);
    }
    if (common > 0) f.credit(v, common);
    triangles += common;
  }
  if (triangles > 0) f.credit(u, triangles);
  return triangles;
}

/// The triangles of all vertices below n.
/// Cost: reads of both lists of each edge. @throws Error(Interrupted)
template <IntersectFunctor F>
std::uint64_t count_in_short_lists(const Context& ctx, const FlatEdges& edges, VertexId n,
                                   const F& f) {
  struct alignas(64) Count {
    std::uint64_t triangles = 0;
  };
  std::vector<Count> count(static_cast<std::size_t>(ctx.threads()));
  FrontierRef all;
  all.universe = all.size = n;
  ctx.launch(ctx.devices()[0], [&] {
    for_active(ctx.threads(), all, 0, n, [&](VertexId u, int worker) {
      if (ctx.task().stop_requested()) return;
      count[static_cast<std::size_t>(worker)].triangles += count_below(edges, u, f);
    });
  });
  ctx.task().check();
  std::uint64_t total = 0;
  for (const Count& its : count) total += its.triangles;
  return total;
}

}  // namespace fathom::cpu
