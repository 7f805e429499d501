// The check of closeness centrality: rules along every edge, and serial searches forwards from
// sources and backwards from vertices.
#include <algorithm>
#include <string>
#include <vector>

#include "fathom/algorithms/certificate.hpp"
#include "fathom/algorithms/closeness/closeness.hpp"
#include "fathom/algorithms/refute.hpp"
#include "fathom/algorithms/serial_search.hpp"
#include "fathom/ops/advance.hpp"

namespace fathom {
namespace {

/// Sources that reach a vertex, and the sum of their distances. Itself counts where it is one.
struct Arrivals {
  std::uint64_t sources = 0, hops = 0;
};

/// Where u has an edge to v, v is as near to every source as a hop from u.
struct FollowEdge {
  const Arrivals* at;
  Rule::Ref cut_off, too_far;

  FATHOM_HD bool visit(VertexId u, VertexId v, Weight) const {
    if (at[v].sources < at[u].sources) cut_off.broken_by(v);
    if (at[v].sources == at[u].sources && at[v].hops > at[u].hops + at[u].sources)
      too_far.broken_by(v);
    return false;
  }
};

void compare_arrivals(const ClosenessResult& result, VertexId v, Arrivals expected) {
  if (result.reached[v] == expected.sources && result.distance_sum[v] == expected.hops) return;
  refute_vertex("closeness", v,
                "is reached by " + std::to_string(expected.sources) +
                    " other sources in a sum of " + std::to_string(expected.hops) +
                    " hops, not by " + std::to_string(result.reached[v]) + " in " +
                    std::to_string(result.distance_sum[v]));
}

std::vector<bool> check_numbers(const ClosenessOptions& options, const ClosenessResult& result,
                                VertexId n) {
  if (result.centrality.size() != n || result.reached.size() != n ||
      result.distance_sum.size() != n)
    refute("closeness", "there is not one value per vertex");
  const std::size_t k = result.sources.size();
  if (k != (options.samples > 0 ? options.samples : n))
    refute("closeness", "there are not as many sources as asked");
  std::vector<bool> source(n, false);
  for (const VertexId s : result.sources) {
    if (s >= n || source[s]) refute("closeness", "the sources are not distinct vertices");
    source[s] = true;
  }
  for (VertexId v = 0; v < n; ++v) {
    const std::size_t others = k - (source[v] ? 1 : 0);
    if (result.reached[v] > others || result.distance_sum[v] < result.reached[v])
      refute_vertex("closeness", v, "has sums that no distances have");
    const double expected = detail::closeness_of(result.reached[v], result.distance_sum[v], others);
    if (!(result.centrality[v] == expected))
      refute_value("closeness", v, result.centrality[v], std::to_string(expected));
  }
  return source;
}

void check_edges(const Context& ctx, const Graph& graph, const ClosenessResult& result,
                 const std::vector<bool>& source) {
  const VertexId n = graph.vertices();
  Array<Arrivals> values(n, ctx.host_memory());
  for (VertexId v = 0; v < n; ++v)
    values[v] = {std::uint64_t{result.reached[v]} + (source[v] ? 1 : 0), result.distance_sum[v]};
  VertexArray<Arrivals> at(ctx, n);
  at.assign(values.span());
  Rule cut_off(ctx), too_far(ctx);
  Frontier all(ctx, n);
  all.fill();
  advance(ctx, graph.out(), all, nullptr, [&](const Device& d) {
    return FollowEdge{at.on(d), cut_off.on(d), too_far.on(d)};
  });
  cut_off.check("closeness", "is reached by fewer sources than one with an edge to it");
  too_far.check("closeness", "is more than a hop farther from sources than one with an edge to it");
}

/// Some of many, spread evenly.
std::vector<VertexId> spread(std::size_t many, VertexId few) {
  std::vector<VertexId> places;
  const std::size_t count = std::min<std::size_t>(few, many);
  for (std::size_t i = 0; i < count; ++i) places.push_back(static_cast<VertexId>(many * i / count));
  return places;
}

void check_from_sources(const Context& ctx, const Graph& graph, const ClosenessResult& result,
                        VertexId few) {
  const VertexId n = graph.vertices();
  const bool whole = result.sources.size() <= few;
  Array<Arrivals> part(n, {}, ctx.host_memory());
  SerialSearch search(ctx, graph.out());
  for (const VertexId i : spread(result.sources.size(), few))
    search.run(result.sources[i], [&](VertexId v, std::uint64_t depth) {
      ++part[v].sources;
      part[v].hops += depth;
    });
  for (VertexId v = 0; v < n; ++v) {
    if (whole) compare_arrivals(result, v, part[v]);
    if (result.reached[v] < part[v].sources || result.distance_sum[v] < part[v].hops)
      refute_vertex("closeness", v,
                    "has sums smaller than those of " + std::to_string(few) + " sources");
  }
}

void check_against_edges(const Context& ctx, const Graph& graph, const ClosenessResult& result,
                         const std::vector<bool>& source, VertexId few) {
  SerialSearch search(ctx, graph.in());
  std::vector<VertexId> vertices = spread(graph.vertices(), few);
  const auto largest = std::max_element(result.centrality.begin(), result.centrality.end());
  vertices.push_back(static_cast<VertexId>(largest - result.centrality.begin()));
  for (const VertexId x : vertices) {
    Arrivals expected;
    search.run(x, [&](VertexId y, std::uint64_t depth) {
      if (!source[y]) return;
      ++expected.sources;
      expected.hops += depth;
    });
    compare_arrivals(result, x, expected);
  }
}

}  // namespace

void verify_closeness(const Context& ctx, const Graph& graph, const ClosenessOptions& options,
                      const ClosenessResult& result, VertexId few) {
  const VertexId n = graph.vertices();
  const std::vector<bool> source = check_numbers(options, result, n);
  if (n == 0) return;
  check_edges(ctx, graph, result, source);
  check_from_sources(ctx, graph, result, few);
  if (result.sources.size() > few && graph.has_in())
    check_against_edges(ctx, graph, result, source, few);
}

}  // namespace fathom
