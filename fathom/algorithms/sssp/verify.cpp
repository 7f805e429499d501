// The certificate of shortest paths: no distance is too large, and none too small.
#include <array>
#include <string>

#include "fathom/algorithms/certificate.hpp"
#include "fathom/algorithms/refute.hpp"
#include "fathom/algorithms/sssp/check_triangle.hpp"
#include "fathom/algorithms/sssp/functors.hpp"
#include "fathom/algorithms/sssp/parts.hpp"
#include "fathom/algorithms/sssp/sssp.hpp"
#include "fathom/ops/advance.hpp"
#include "fathom/ops/compute.hpp"

namespace fathom {
namespace {

/// Passes a mark along the edges that explain the distance at their end.
template <class Length>
struct PassMark {
  static constexpr bool kReadsWeights = true;
  const Length* distance;
  std::uint32_t* marked;  // [vertices]

  FATHOM_HD bool visit(VertexId u, VertexId v, Length w) const {
    if (distance[u] + w != distance[v] || distance[v] == kInfinity) return false;
    const AtomicRef mark(marked[v]);
    return mark.load() == 0 && mark.fetch_or(1) == 0;
  }
};

template <class Length>
void check_values(const Graph& graph, VertexId source, const SsspResult& result) {
  const Array<Length>& distance = distances_of<Length>(result);
  if (distance.size() != graph.vertices())
    throw Error(ErrorCode::VerificationFailed, "sssp: there is not one distance per vertex");
  if (distance[source] != 0)
    refute_vertex("sssp", source, "is the source, but its distance is not 0");
  VertexId reached = 0;
  for (VertexId v = 0; v < graph.vertices(); ++v) {
    if (!(distance[v] >= 0))
      refute_vertex("sssp", v, "has a distance that is negative or no number");
    if (distance[v] < kInfinity) ++reached;
  }
  if (reached != result.reached)
    throw Error(ErrorCode::VerificationFailed,
                "sssp: " + std::to_string(reached) + " distances are finite, but " +
                    std::to_string(result.reached) + " vertices are said to be reached");
}

/// advance() along the graph's weights, or those of the caller.
template <class Length, class Make>
void over_edges(const Context& ctx, const Graph& graph, Frontier& in, Frontier* out,
                std::span<const double> weights, const Make& make) {
  using F = decltype(make(ctx.devices()[0]));
  if constexpr (std::is_same_v<Length, double>)
    if (!weights.empty())
      return advance(ctx, graph.out(), in, out, [&](const Device& d) {
        return AlongWeights<F>{make(d), weights.data(), graph.out().offsets(d)};
      });
  advance(ctx, graph.out(), in, out, make);
}

template <class Length>
void verify(const Context& ctx, const Graph& graph, VertexId source, const SsspResult& result,
            std::span<const double> weights) {
  check_values<Length>(graph, source, result);
  const VertexId n = graph.vertices();
  VertexArray<Length> distance(ctx, n);
  distance.assign(distances_of<Length>(result));

  Rule shortened(ctx), adrift(ctx);

  Frontier all(ctx, n);
  all.fill();
  over_edges<Length>(ctx, graph, all, nullptr, weights, [&](const Device& d) {
    return CheckTriangle<Length>{distance.on(d), shortened.on(d)};
  });
  shortened.check("sssp", "has a neighbour that offers a shorter path");

  VertexArray<std::uint32_t, MergeOr> marked(ctx, n, 0);
  marked.set(source, 1);
  Frontier now(ctx, n), next(ctx, n);
  now.assign(std::array{source});
  while (!now.empty()) {
    ctx.task().check();
    over_edges<Length>(ctx, graph, now, &next, weights, [&](const Device& d) {
      return PassMark<Length>{distance.on(d), marked.on(d)};
    });
    merge(marked);
    std::swap(now, next);
  }
  compute(ctx, n, [&](const Device& d) {
    return [at = distance.on(d), mark = marked.on(d), rule = adrift.on(d)](VertexId v) {
      if (at[v] < kInfinity && mark[v] == 0) rule.broken_by(v);
    };
  });
  adrift.check("sssp", "has a distance that no path from the source has");
}

}  // namespace

void verify_sssp(const Context& ctx, const Graph& graph, VertexId source, const SsspResult& result,
                 const SsspOptions& options) {
  check_callers_weights(ctx, graph, options);
  if (options.precision == SsspPrecision::Double || !result.double_distance.empty())
    verify<double>(ctx, graph, source, result, options.weights);
  else
    verify<Weight>(ctx, graph, source, result, {});
}

}  // namespace fathom
