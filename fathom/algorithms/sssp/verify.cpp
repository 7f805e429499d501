// The certificate of shortest paths: no distance is too large, and none too small.
#include <array>
#include <string>

#include "fathom/algorithms/certificate.hpp"
#include "fathom/algorithms/refute.hpp"
#include "fathom/algorithms/sssp/sssp.hpp"
#include "fathom/ops/advance.hpp"
#include "fathom/ops/compute.hpp"

namespace fathom {
namespace {

/// No edge offers a shorter way to its end.
struct CheckTriangle {
  static constexpr bool kReadsWeights = true;
  const Weight* distance;
  Rule::Ref shortened;

  FATHOM_HD bool visit(VertexId u, VertexId v, Weight w) const {
    if (distance[u] + w < distance[v]) shortened.broken_by(v);
    return false;
  }
};

/// Passes a mark along the edges that explain the distance at their end.
struct PassMark {
  static constexpr bool kReadsWeights = true;
  const Weight* distance;
  std::uint32_t* marked;  // [vertices]

  FATHOM_HD bool visit(VertexId u, VertexId v, Weight w) const {
    if (distance[u] + w != distance[v] || distance[v] == kInfinity) return false;
    const AtomicRef mark(marked[v]);
    return mark.load() == 0 && mark.fetch_or(1) == 0;
  }
};

void check_values(const Graph& graph, VertexId source, const SsspResult& result) {
  if (result.distance.size() != graph.vertices())
    throw Error(ErrorCode::VerificationFailed, "sssp: there is not one distance per vertex");
  if (result.distance[source] != 0)
    refute_vertex("sssp", source, "is the source, but its distance is not 0");
  VertexId reached = 0;
  for (VertexId v = 0; v < graph.vertices(); ++v) {
    if (!(result.distance[v] >= 0))
      refute_vertex("sssp", v, "has a distance that is negative or no number");
    if (result.distance[v] < kInfinity) ++reached;
  }
  if (reached != result.reached)
    throw Error(ErrorCode::VerificationFailed,
                "sssp: " + std::to_string(reached) + " distances are finite, but " +
                    std::to_string(result.reached) + " vertices are said to be reached");
}

}  // namespace

void verify_sssp(const Context& ctx, const Graph& graph, VertexId source,
                 const SsspResult& result) {
  check_values(graph, source, result);
  const VertexId n = graph.vertices();
  VertexArray<Weight> distance(ctx, n);
  distance.assign(result.distance);

  Rule shortened(ctx), adrift(ctx);

  Frontier all(ctx, n);
  all.fill();
  advance(ctx, graph.out(), all, nullptr, [&](const Device& d) {
    return CheckTriangle{distance.on(d), shortened.on(d)};
  });
  shortened.check("sssp", "has a neighbour that offers a shorter path");

  VertexArray<std::uint32_t, MergeOr> marked(ctx, n, 0);
  marked.set(source, 1);
  Frontier now(ctx, n), next(ctx, n);
  now.assign(std::array{source});
  while (!now.empty()) {
    ctx.task().check();
    advance(ctx, graph.out(), now, &next, [&](const Device& d) {
      return PassMark{distance.on(d), marked.on(d)};
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

}  // namespace fathom
