// The certificate of assortativity.
#include <cmath>
#include <string>
#include <utility>

#include "fathom/algorithms/assortativity/assortativity.hpp"
#include "fathom/algorithms/assortativity/correlation.hpp"
#include "fathom/algorithms/refute.hpp"
#include "fathom/core/atomic.hpp"
#include "fathom/exec/vertex_array.hpp"
#include "fathom/ops/advance.hpp"
#include "fathom/ops/compute.hpp"

namespace fathom {
namespace {

constexpr const char* kName = "assortativity";
using Counts = VertexArray<std::uint64_t, MergeSum>;

/// Where edges begin and end; an undirected loop does so once more.
struct CountEnds {
  std::uint64_t *leave, *from, *to;  // edges in lists, degrees
  std::uint64_t* loops;              // [1]
  bool directed;

  FATHOM_HD bool visit(VertexId u, VertexId v, Weight) const {
    const std::uint64_t ends = u == v && !directed ? 2 : 1;
    AtomicRef(leave[u]).fetch_add(std::uint64_t{1});
    AtomicRef(from[u]).fetch_add(ends);
    AtomicRef(to[v]).fetch_add(ends);
    if (u == v) AtomicRef(*loops).fetch_add(std::uint64_t{1});
    return false;
  }
};

struct AddEnds {
  const std::uint64_t *from, *to;
  std::uint64_t *behind, *ahead;  // sums of degrees at the other end
  std::uint64_t* arrive;

  FATHOM_HD bool visit(VertexId u, VertexId v, Weight) const {
    AtomicRef(behind[v]).fetch_add(from[u]);
    AtomicRef(ahead[u]).fetch_add(to[v]);
    AtomicRef(arrive[v]).fetch_add(std::uint64_t{1});
    return false;
  }
};

struct Recount {
  Array<std::uint64_t> leave, arrive, from, to, behind, ahead;
  std::uint64_t loops = 0;
};

Recount recount(const Context& ctx, const Graph& graph) {
  const VertexId n = graph.vertices();
  Counts leave(ctx, n, 0), arrive(ctx, n, 0), from(ctx, n, 0), to(ctx, n, 0), behind(ctx, n, 0),
      ahead(ctx, n, 0), loops(ctx, 1, 0);
  Frontier all(ctx, n);
  all.fill();
  advance(ctx, graph.out(), all, nullptr, [&](const Device& d) {
    return CountEnds{leave.on(d), from.on(d), to.on(d), loops.on(d), graph.directed()};
  });
  merge(leave, from, to, loops);
  advance(ctx, graph.out(), all, nullptr, [&](const Device& d) {
    return AddEnds{from.on(d), to.on(d), behind.on(d), ahead.on(d), arrive.on(d)};
  });
  merge(behind, ahead, arrive);
  const std::uint64_t found = loops.get(0);
  return {std::move(leave).take(),
          std::move(arrive).take(),
          std::move(from).take(),
          std::move(to).take(),
          std::move(behind).take(),
          std::move(ahead).take(),
          found};
}

}  // namespace

void verify_assortativity(const Context& ctx, const Graph& graph,
                          const AssortativityResult& result) {
  if (result.neighbor_degree.size() != graph.vertices()) refute(kName, "not one number per vertex");
  const Recount its = recount(ctx, graph);
  detail::PairSums sums;
  for (std::size_t v = 0; v < its.leave.size(); ++v) {
    const double mean = its.leave[v] == 0
                            ? 0
                            : static_cast<double>(its.ahead[v]) / static_cast<double>(its.leave[v]);
    if (!(result.neighbor_degree[v] == mean))
      refute_value(kName, static_cast<VertexId>(v), result.neighbor_degree[v],
                   std::to_string(mean) + ", the mean degree of its neighbours");
    const detail::WideCount from = its.from[v], to = its.to[v];
    sums.pairs += its.arrive[v];
    sums.a += its.behind[v];
    sums.aa += from * from * its.leave[v];
    sums.b += its.ahead[v];
    sums.bb += to * to * its.arrive[v];
    sums.ab += to * its.behind[v];
  }
  if (its.loops != result.loops)
    refute(kName, "there are " + std::to_string(its.loops) + " loops, not " +
                      std::to_string(result.loops));
  const double expected = detail::correlation(sums);
  if (!(result.coefficient == expected) &&
      !(std::isnan(result.coefficient) && std::isnan(expected)))
    refute(kName, "the coefficient is " + std::to_string(expected) + ", but " +
                      std::to_string(result.coefficient) + " is reported");
}

}  // namespace fathom
