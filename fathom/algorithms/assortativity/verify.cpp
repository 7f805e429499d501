// The certificate of assortativity.
#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

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

/// Of the ends of each edge, the smaller degree: counted edge by edge.
void check_rich_clubs(const Context& ctx, const Graph& graph, const Array<std::uint64_t>& degree,
                      const std::vector<RichClub>& clubs) {
  std::map<std::uint64_t, std::uint64_t> ends,
      vertices;  // of edges of so small an end; of vertices
  const std::unique_ptr<ListReader> lists = graph.out().read_lists();
  for (VertexId v = 0; v < graph.vertices(); ++v) {
    ++vertices[degree[v]];
    lists->read(v, [&](const PlainSpan& span) {
      for (std::uint32_t i = 0; i < span.size; ++i)
        if (const VertexId u = span.target(i); u != v) ++ends[std::min(degree[v], degree[u])];
    });
    if (v % 4096 == 0) ctx.task().check();
  }
  ++vertices[0];  // a club of all vertices of a degree above 0, whether one has none or not
  std::uint64_t above = graph.vertices() + 1, joined = 0;
  for (const auto& [least, count] : ends) joined += count;
  std::size_t at = 0;
  for (const auto& [least, count] : vertices) {
    above -= count;
    const auto end = ends.find(least);
    if (end != ends.end()) joined -= end->second;
    if (above < 2) break;
    const double share =
        static_cast<double>(joined) / (static_cast<double>(above) * static_cast<double>(above - 1));
    if (at == clubs.size() || !(clubs[at] == RichClub{least, above, joined / 2, share}))
      refute(kName, "the rich club above the degree " + std::to_string(least) + " has " +
                        std::to_string(above) + " vertices and " + std::to_string(joined / 2) +
                        " edges, which is not reported");
    ++at;
  }
  if (at != clubs.size()) refute(kName, "there are rich clubs of fewer than two vertices");
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
  if (!result.rich_club.empty()) check_rich_clubs(ctx, graph, its.from, result.rich_club);
  const double expected = detail::correlation(sums);
  if (!(result.coefficient == expected) &&
      !(std::isnan(result.coefficient) && std::isnan(expected)))
    refute(kName, "the coefficient is " + std::to_string(expected) + ", but " +
                      std::to_string(result.coefficient) + " is reported");
}

}  // namespace fathom
