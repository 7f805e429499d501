#include "fathom/reorder/order.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>
#include <vector>

#include "fathom/algorithms/components/components.hpp"
#include "fathom/algorithms/degrees/degrees.hpp"
#include "fathom/algorithms/harmonic/harmonic.hpp"
#include "fathom/algorithms/sample.hpp"
#include "fathom/core/random.hpp"
#include "fathom/reorder/bisection.hpp"
#include "fathom/reorder/by_component.hpp"
#include "fathom/reorder/neighbourhood.hpp"
#include "fathom/reorder/rcm.hpp"
#include "fathom/reorder/sorting.hpp"

namespace fathom::reorder {
namespace {

using OrderArray = Array<VertexId>;  // [new position]: old id

constexpr std::array<std::pair<std::string_view, Method>, 11> kNames{{
    {"natural", Method::Natural},
    {"random", Method::Random},
    {"degree", Method::Degree},
    {"indegree-neighbors", Method::IndegreeNeighbors},
    {"degree-neighbors", Method::DegreeNeighbors},
    {"halo1", Method::Halo1},
    {"halo2", Method::Halo2},
    {"halo2-rk", Method::Halo2Rk},
    {"rcm", Method::Rcm},
    {"bp", Method::Bp},
    {"bfs-bp", Method::BfsBp},
}};

OrderArray random_order(const Context& ctx, VertexId n, std::uint64_t seed) {
  const RandomStream random(seed, 1);  // stream 0 draws samples
  return stable_order(ctx, natural_order(ctx, n), [&](VertexId v) { return random.at(v); });
}

/// Equal ones by id or, with `neighbours`, as in the order in which each vertex is followed by its
/// neighbours: those that lists have together lie together.
OrderArray degree_order(const Context& ctx, const Graph& graph, bool neighbours = false) {
  const DegreesResult found = degrees(ctx, graph);
  const Array<EdgeId>& in = graph.directed() ? found.in : found.out;
  const auto largest_first = [&](VertexId v) { return ~in[v]; };
  OrderArray order = stable_order(ctx, natural_order(ctx, graph.vertices()), largest_first);
  if (!neighbours) return order;
  order = with_neighbours(ctx, graph, order.span(), false);
  return stable_order(ctx, order.span(), largest_first);
}

/// HALO-I. Of numbers that are not negative, larger ones have larger bits.
OrderArray centrality_order(const Context& ctx, const Graph& graph, const Options& options) {
  const HarmonicResult found =
      harmonic(ctx, graph, {std::min(options.samples, graph.vertices()), options.seed});
  return stable_order(ctx, natural_order(ctx, graph.vertices()), [&](VertexId v) {
    return ~std::bit_cast<std::uint64_t>(found.centrality[v]);
  });
}

std::vector<VertexId> sampled(const Graph& graph, const Options& options) {
  return sample_vertices(graph.vertices(), std::min(options.samples, graph.vertices()),
                         options.seed);
}

OrderArray order_by(const Context& ctx, const Graph& graph, const Options& options) {
  switch (options.method) {
    case Method::Natural:
      return natural_order(ctx, graph.vertices());
    case Method::Random:
      return random_order(ctx, graph.vertices(), options.seed);
    case Method::Degree:
      return degree_order(ctx, graph);
    case Method::IndegreeNeighbors:
      return with_neighbours(ctx, graph, degree_order(ctx, graph).span(), false);
    case Method::DegreeNeighbors:
      return degree_order(ctx, graph, true);
    case Method::Halo1:
      return centrality_order(ctx, graph, options);
    case Method::Halo2:
      return with_neighbours(ctx, graph, centrality_order(ctx, graph, options).span(), false);
    case Method::Halo2Rk:
      return with_neighbours(ctx, graph, centrality_order(ctx, graph, options).span(), true);
    case Method::Rcm:
      return rcm_order(ctx, graph);
    case Method::Bp:
      return bisect_by_neighbours(ctx, graph);
    case Method::BfsBp:
      return bisect_by_levels(ctx, graph, sampled(graph, options));
  }
  throw Error(ErrorCode::Internal, "unknown method of reordering");
}

}  // namespace

std::string_view name_of(Method method) {
  for (const auto& [name, named] : kNames)
    if (named == method) return name;
  return "unknown";
}

std::optional<Method> method_of(std::string_view name) {
  for (const auto& [known, method] : kNames)
    if (known == name) return method;
  return {};
}

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  names.reserve(kNames.size());
  for (const auto& named : kNames) names.emplace_back(named.first);
  return names;
}

Permutation make_order(const Context& ctx, const Graph& graph, const Options& options) {
  OrderArray order = order_by(ctx, graph, options);
  if (options.by_component)
    order = by_component(ctx, connected_components(ctx, graph), order.span());
  ctx.task().check();
  return Permutation::from_order(order.span(), ctx.threads());
}

}  // namespace fathom::reorder
