// The certificate of topological levels.
#include <string>
#include <utility>

#include "fathom/algorithms/certificate.hpp"
#include "fathom/algorithms/levels/levels.hpp"
#include "fathom/algorithms/refute.hpp"
#include "fathom/core/atomic.hpp"
#include "fathom/ops/advance.hpp"
#include "fathom/ops/compute.hpp"

namespace fathom {
namespace {

/// Edges go up, and none from where there are no levels to where there are. A vertex is explained
/// by a source on the level below, one without a level by a source without.
struct ExplainLevels {
  const std::uint32_t* level;
  std::uint32_t* explained;
  Rule::Ref falls;

  FATHOM_HD bool visit(VertexId u, VertexId v, Weight) const {
    const std::uint32_t from = level[u], to = level[v];
    if (to != kNoLevel && from >= to) falls.broken_by(v);
    const bool explains = to == kNoLevel ? from == kNoLevel : from == to - 1;
    if (explains) AtomicRef(explained[v]).store(1);
    return false;
  }
};

struct FollowCycle {
  const VertexId* next;
  std::uint32_t* followed;

  FATHOM_HD bool visit(VertexId u, VertexId v, Weight) const {
    if (next[u] == v) AtomicRef(followed[u]).store(1);
    return false;
  }
};

void check_counts(const Graph& graph, const LevelsResult& result) {
  if (result.level.size() != graph.vertices()) refute("levels", "not one level per vertex");
  std::uint32_t levels = 0;
  VertexId without = 0;
  for (const std::uint32_t level : result.level) {
    if (level == kNoLevel)
      ++without;
    else if (level >= levels)
      levels = level + 1;
  }
  if (levels != result.levels)
    refute("levels",
           "there are " + std::to_string(levels) + " levels, not " + std::to_string(result.levels));
  if (without != result.without)
    refute("levels", std::to_string(without) + " vertices have no level, not " +
                         std::to_string(result.without));
  if ((without == 0) != result.cycle.empty())
    refute("levels", without == 0 ? "a cycle is named, but all vertices have levels"
                                  : "vertices have no level, but no cycle is named");
}

void check_levels(const Context& ctx, const Graph& graph, const LevelsResult& result) {
  const VertexId n = graph.vertices();
  VertexArray<std::uint32_t> level(ctx, n);
  level.assign(result.level);
  VertexArray<std::uint32_t, MergeOr> explained(ctx, n, 0);
  Rule falls(ctx), high(ctx), lost(ctx);
  Frontier all(ctx, n);
  all.fill();
  advance(ctx, graph.out(), all, nullptr, [&](const Device& d) {
    return ExplainLevels{level.on(d), explained.on(d), falls.on(d)};
  });
  merge(explained);
  compute(ctx, n, [&](const Device& d) {
    return [level = level.on(d), explained = explained.on(d), high = high.on(d),
            lost = lost.on(d)](VertexId v) {
      if (level[v] == 0 || explained[v] != 0) return;
      (level[v] == kNoLevel ? lost : high).broken_by(v);
    };
  });
  falls.check("levels", "has an edge from a vertex that is not on a lower level");
  high.check("levels", "has no edge from the level below");
  lost.check("levels", "has no level, but no edge from a vertex without one");
}

void check_cycle(const Context& ctx, const Graph& graph, const LevelsResult& result) {
  const VertexId n = graph.vertices();
  const std::vector<VertexId>& cycle = result.cycle;
  VertexArray<VertexId> next(ctx, n);
  {
    Array<VertexId> after(n, kNoVertex, ctx.host_memory());
    for (std::size_t i = 0; i < cycle.size(); ++i) {
      const VertexId v = cycle[i];
      if (v >= n) refute_vertex("levels", v, "is on the cycle, but not in the graph");
      if (after[v] != kNoVertex) refute_vertex("levels", v, "is on the cycle twice");
      if (result.level[v] != kNoLevel)
        refute_vertex("levels", v, "is on the cycle and has a level");
      after[v] = cycle[i + 1 < cycle.size() ? i + 1 : 0];
    }
    next.assign(std::as_const(after));
  }
  VertexArray<std::uint32_t, MergeOr> followed(ctx, n, 0);
  Frontier on_cycle(ctx, n);
  on_cycle.assign(cycle);
  advance(ctx, graph.out(), on_cycle, nullptr, [&](const Device& d) {
    return FollowCycle{next.on(d), followed.on(d)};
  });
  merge(followed);
  Rule broken(ctx);
  compute(ctx, n, [&](const Device& d) {
    return [next = next.on(d), followed = followed.on(d), broken = broken.on(d)](VertexId v) {
      if (next[v] != kNoVertex && followed[v] == 0) broken.broken_by(v);
    };
  });
  broken.check("levels", "has no edge to the next vertex of the cycle");
}

}  // namespace

void verify_levels(const Context& ctx, const Graph& graph, const LevelsResult& result) {
  check_counts(graph, result);
  check_levels(ctx, graph, result);
  if (!result.cycle.empty()) check_cycle(ctx, graph, result);
}

}  // namespace fathom
