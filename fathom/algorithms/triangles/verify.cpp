// The certificate of triangle counting.
#include <string>
#include <variant>

#include "fathom/algorithms/certificate.hpp"
#include "fathom/algorithms/refute.hpp"
#include "fathom/algorithms/triangles/recount.hpp"
#include "fathom/algorithms/triangles/triangles.hpp"
#include "fathom/core/atomic.hpp"
#include "fathom/core/random.hpp"
#include "fathom/exec/cpu/for_active.hpp"
#include "fathom/ops/advance.hpp"
#include "fathom/ops/intersect.hpp"

namespace fathom {
namespace {

using detail::Counts;
using Bits = VertexArray<std::uint64_t, MergeOr>;

struct CountCorners {
  std::uint64_t* degree;

  FATHOM_HD bool visit(VertexId u, VertexId v, Weight) const {
    AtomicRef(degree[u]).fetch_add(1);
    AtomicRef(degree[v]).fetch_add(1);
    return false;
  }
};

/// A set of edges without direction, as a range of the bits of a table. The same edge again changes
/// nothing.
struct SketchEdges {
  std::uint64_t* table;
  std::uint64_t size;         // bits
  std::uint64_t first, last;  // those kept now

  FATHOM_HD bool visit(VertexId u, VertexId v, Weight) const {
    if (u == v) return false;
    const std::uint64_t bit = bounded(RandomStream(7, 0).at(u < v ? u : v, u < v ? v : u), size);
    if (bit < first || bit >= last) return false;
    AtomicRef(table[(bit - first) >> 6]).fetch_or(std::uint64_t{1} << (bit & 63));
    return false;
  }
};

/// Finds edges that do not lead up in the order by (degree, id). Any order would do: where all
/// edges lead up there is no directed cycle.
struct FindDescents {
  const std::uint64_t* degree;
  Rule::Ref descended;

  FATHOM_HD bool visit(VertexId u, VertexId v, Weight) const {
    const bool up = degree[u] < degree[v] || (degree[u] == degree[v] && u < v);
    if (!up) descended.broken_by(u);
    return false;
  }
};

template <class F>
void sweep_all(const Context& ctx, EdgeSource& edges, const F& make) {
  Frontier all(ctx, edges.vertices());
  all.fill();
  advance(ctx, edges, all, nullptr, make);
}

void check_orientation(const Context& ctx, EdgeSource& oriented, const std::string& algorithm,
                       Counts& degree) {
  sweep_all(ctx, oriented, [&](const Device& d) { return CountCorners{degree.on(d)}; });
  merge(degree);
  Rule descended(ctx);
  sweep_all(ctx, oriented, [&](const Device& d) {
    return FindDescents{degree.on(d), descended.on(d)};
  });
  descended.check(algorithm, "has an oriented edge that does not lead up in the order of degrees");
}

/// Whether two sets of edges agree in words [first, first + count) of their tables.
bool same_part(const Context& ctx, const Graph& graph, std::size_t words, std::size_t first,
               std::size_t count) {
  auto sketch = [&](EdgeSource& edges) {
    Bits table(ctx, count, 0);
    sweep_all(ctx, edges, [&](const Device& d) {
      return SketchEdges{table.on(d), words * 64, first * 64, (first + count) * 64};
    });
    merge(table);
    return std::move(table).take();
  };
  const Array<std::uint64_t> a = sketch(graph.out()), b = sketch(*graph.oriented());
  return std::equal(a.begin(), a.end(), b.begin());
}

/// Compares the sets of edges, as much of their tables at a time as memory allows.
void check_edge_set(const Context& ctx, const Graph& graph, const std::string& algorithm) {
  constexpr std::size_t kLeast = std::size_t{1} << 12;
  const std::size_t words = static_cast<std::size_t>(graph.edges()) / 4 + 1;
  std::size_t part = words;
  for (std::size_t first = 0; first < words;) {
    const std::size_t count = std::min(part, words - first);
    try {
      if (!same_part(ctx, graph, words, first, count))
        refute(algorithm, "the oriented lists do not hold the edges of the graph");
      first += count;
    } catch (const Error& e) {
      if (e.code() != ErrorCode::DoesNotFit || part <= kLeast) throw;
      part /= 2;
    }
  }
}

/// Calls found(w) for the common targets of two ascending lists.
template <class A, class B, class Found>
void merge_lists(const A& a, const B& b, const Found& found) {
  std::uint32_t i = 0, j = 0;
  while (i < a.size && j < b.size) {
    const VertexId x = a.target(i), y = b.target(j);
    if (x == y) found(x);
    if (x <= y) ++i;
    if (y <= x) ++j;
  }
}

/// What recount() writes on a device.
struct Recount {
  std::uint64_t* triangles;  // [vertices]
  std::uint64_t* total;
  Rule::Ref disordered;

  template <EdgeView A, EdgeView B>
  void operator()(const A& a, const B& b, const PairPass& pass, VertexId u) const {
    const auto mine = cpu::list_of(a, u);
    std::uint64_t here = 0;
    for (std::uint32_t i = 0; i < mine.size; ++i) {
      const VertexId v = mine.target(i);
      if (i > 0 && mine.target(i - 1) >= v) disordered.broken_by(u);
      if (v < pass.b_first || v >= pass.b_last) continue;
      std::uint64_t common = 0;
      merge_lists(mine, cpu::list_of(b, v), [&](VertexId w) {
        ++common;
        AtomicRef(triangles[w]).fetch_add(1);
      });
      AtomicRef(triangles[v]).fetch_add(common);
      here += common;
    }
    AtomicRef(triangles[u]).fetch_add(here);
    AtomicRef(*total).fetch_add(here);
  }
};

/// Counts triangles per vertex by merging. Returns their number.
std::uint64_t recount(const Context& ctx, EdgeSource& oriented, const std::string& algorithm,
                      Counts& triangles) {
  Rule disordered(ctx);
  Counts total(ctx, 1, 0);
  FrontierRef all;
  all.universe = all.size = oriented.vertices();
  oriented.sweep_pairs(ctx, [&](const PairPass& pass) {
    const Recount count{triangles.on(pass.device), total.on(pass.device),
                        disordered.on(pass.device)};
    ctx.launch(pass.device, [&] {
      cpu::for_active(ctx.threads(), all, pass.a_first, pass.a_last, [&](VertexId u, int) {
        if (ctx.task().stop_requested()) return;
        count(std::get<FlatEdges>(pass.a), std::get<FlatEdges>(pass.b), pass, u);
      });
    });
  });
  ctx.task().check();
  merge(triangles, total);
  disordered.check(algorithm, "has an oriented list that does not strictly ascend");
  return total.get(0);
}

}  // namespace

detail::Recounted detail::recount_triangles(const Context& ctx, EdgeSource& oriented,
                                            const std::string& algorithm) {
  Recounted found{{ctx, oriented.vertices(), 0}, {ctx, oriented.vertices(), 0}};
  check_orientation(ctx, oriented, algorithm, found.degree);
  found.total = recount(ctx, oriented, algorithm, found.triangles);
  return found;
}

detail::Recounted detail::recount_triangles(const Context& ctx, const Graph& graph,
                                            const std::string& algorithm) {
  check_edge_set(ctx, graph, algorithm);
  return recount_triangles(ctx, *graph.oriented(), algorithm);
}

void verify_triangles(const Context& ctx, const Graph& graph, const TrianglesResult& result) {
  const bool per_vertex = !result.per_vertex.empty();
  if (per_vertex && result.per_vertex.size() != graph.vertices())
    refute("triangles", "not one count per vertex");
  detail::Recounted recounted = detail::recount_triangles(ctx, graph, "triangles");
  const std::uint64_t total = recounted.total;
  if (total != result.total)
    refute("triangles", std::to_string(total) + " by merging lists, but " +
                            std::to_string(result.total) + " are reported");
  if (!per_vertex) return;
  const Array<std::uint64_t> expected = std::move(recounted.triangles).take();
  for (std::size_t v = 0; v < expected.size(); ++v)
    if (expected[v] != result.per_vertex[v])
      refute("triangles", "vertex " + std::to_string(v) + " is in " + std::to_string(expected[v]) +
                              " triangles, but " + std::to_string(result.per_vertex[v]) +
                              " are reported");
}

}  // namespace fathom
