// The certificate of two sides.
#include <array>
#include <string>
#include <utility>

#include "fathom/algorithms/bipartite/bipartite.hpp"
#include "fathom/algorithms/certificate.hpp"
#include "fathom/algorithms/refute.hpp"
#include "fathom/core/atomic.hpp"
#include "fathom/ops/advance.hpp"
#include "fathom/ops/compute.hpp"

namespace fathom {
namespace {

/// Two copies of each vertex v, 2v and 2v + 1: an edge joins each copy of one end with the other
/// copy of the other end. Copies are hooked below smaller ones.
struct Copies {
  std::uint64_t* above;

  FATHOM_HD std::uint64_t root_of(std::uint64_t copy) const {
    for (std::uint64_t next; (next = AtomicRef(above[copy]).load()) != copy; copy = next) {
      const std::uint64_t further = AtomicRef(above[next]).load();
      if (further != next) AtomicRef(above[copy]).compare_exchange(next, further);
    }
    return copy;
  }
  FATHOM_HD void join(std::uint64_t a, std::uint64_t b) const {
    for (;;) {
      a = root_of(a);
      b = root_of(b);
      if (a == b) return;
      std::uint64_t high = a < b ? b : a;
      if (AtomicRef(above[high]).compare_exchange(high, a < b ? a : b)) return;
    }
  }
};

struct MergeCopies {
  void operator()(std::uint64_t* into, const std::uint64_t* from, std::size_t n) const {
    for (std::size_t copy = 0; copy < n; ++copy) Copies{into}.join(copy, from[copy]);
  }
};

struct LookAtEnds {
  const std::uint32_t* side;
  Copies copies;
  Rule::Ref alike, mixed;

  FATHOM_HD bool visit(VertexId u, VertexId v, Weight) const {
    if ((side[u] == kNoSide) != (side[v] == kNoSide))
      mixed.broken_by(side[u] == kNoSide ? v : u);
    else if (side[u] != kNoSide && side[u] == side[v])
      alike.broken_by(u < v ? u : v);
    const std::uint64_t a = 2 * std::uint64_t{u}, b = 2 * std::uint64_t{v};
    copies.join(a, b + 1);
    copies.join(a + 1, b);
    return false;
  }
};

void check_side_counts(const Graph& graph, const BipartiteResult& result) {
  if (result.side.size() != graph.vertices()) refute("bipartite", "not one side per vertex");
  std::array<VertexId, 2> on_side{};
  VertexId without = 0;
  for (std::size_t v = 0; v < result.side.size(); ++v) {
    if (result.side[v] != kNoSide && result.side[v] > 1)
      refute_vertex("bipartite", v, "is on neither side");
    ++(result.side[v] == kNoSide ? without : on_side[result.side[v]]);
  }
  for (const std::size_t side : {0, 1})
    if (on_side[side] != result.on_side[side])
      refute("bipartite", std::to_string(on_side[side]) + " vertices are on side " +
                              std::to_string(side) + ", not " +
                              std::to_string(result.on_side[side]));
  if (without != result.without)
    refute("bipartite", std::to_string(without) + " vertices have no side, not " +
                            std::to_string(result.without));
  if ((without == 0) != result.cycle.empty())
    refute("bipartite", without == 0 ? "a cycle is named, but all vertices have sides"
                                     : "vertices have no side, but no cycle is named");
}

void check_sides(const Context& ctx, const Graph& graph, const BipartiteResult& result) {
  const VertexId n = graph.vertices();
  VertexArray<std::uint32_t> side(ctx, n);
  side.assign(result.side);
  VertexArray<std::uint64_t, MergeCopies> above(ctx, 2 * std::size_t{n});
  compute(ctx, n, [&](const Device& d) {
    return [above = above.on(d)](VertexId v) {
      const std::uint64_t copy = 2 * std::uint64_t{v};
      above[copy] = copy;
      above[copy + 1] = copy + 1;
    };
  });
  Rule alike(ctx), mixed(ctx), wrong(ctx), even(ctx);
  Frontier all(ctx, n);
  all.fill();
  advance(ctx, graph.out(), all, nullptr, [&](const Device& d) {
    return LookAtEnds{side.on(d), {above.on(d)}, alike.on(d), mixed.on(d)};
  });
  merge(above);
  compute(ctx, n, [&](const Device& d) {
    return [side = side.on(d), copies = Copies{above.on(d)}, wrong = wrong.on(d),
            even = even.on(d)](VertexId v) {
      const std::uint64_t copy = 2 * std::uint64_t{v};
      if (side[v] != kNoSide) {
        if (copies.root_of(copy + side[v]) % 2 != 0) wrong.broken_by(v);
      } else if (copies.root_of(copy) != copies.root_of(copy + 1)) {
        even.broken_by(v);
      }
    };
  });
  alike.check("bipartite", "is on the side of a neighbour");
  mixed.check("bipartite", "has a side, and a neighbour without one");
  even.check("bipartite", "has no side, but its component no odd cycle");
  wrong.check("bipartite", "is on the other side: the smallest of its component is on side 0");
}

/// An edge joins u and the vertex after it, or before it.
struct FollowOddCycle {
  const VertexId* next;
  std::uint32_t* followed;

  FATHOM_HD bool visit(VertexId u, VertexId v, Weight) const {
    if (next[u] == v) AtomicRef(followed[u]).store(1);
    if (next[v] == u) AtomicRef(followed[v]).store(1);
    return false;
  }
};

void check_odd_cycle(const Context& ctx, const Graph& graph, const BipartiteResult& result) {
  const VertexId n = graph.vertices();
  const std::vector<VertexId>& cycle = result.cycle;
  if (cycle.size() % 2 == 0) refute("bipartite", "the cycle is not odd");
  VertexArray<VertexId> next(ctx, n);
  {
    Array<VertexId> after(n, kNoVertex, ctx.host_memory());
    for (std::size_t i = 0; i < cycle.size(); ++i) {
      const VertexId v = cycle[i];
      if (v >= n) refute_vertex("bipartite", v, "is on the cycle, but not in the graph");
      if (after[v] != kNoVertex) refute_vertex("bipartite", v, "is on the cycle twice");
      after[v] = cycle[i + 1 < cycle.size() ? i + 1 : 0];
    }
    next.assign(std::as_const(after));
  }
  VertexArray<std::uint32_t, MergeOr> followed(ctx, n, 0);
  Frontier on_cycle(ctx, n);
  on_cycle.assign(cycle);
  advance(ctx, graph.out(), on_cycle, nullptr, [&](const Device& d) {
    return FollowOddCycle{next.on(d), followed.on(d)};
  });
  merge(followed);
  Rule broken(ctx);
  compute(ctx, n, [&](const Device& d) {
    return [next = next.on(d), followed = followed.on(d), broken = broken.on(d)](VertexId v) {
      if (next[v] != kNoVertex && followed[v] == 0) broken.broken_by(v);
    };
  });
  broken.check("bipartite", "has no edge to the next vertex of the cycle");
}

}  // namespace

void verify_bipartite(const Context& ctx, const Graph& graph, const BipartiteResult& result) {
  check_side_counts(graph, result);
  check_sides(ctx, graph, result);
  if (!result.cycle.empty()) check_odd_cycle(ctx, graph, result);
}

}  // namespace fathom
