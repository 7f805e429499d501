#include "fathom/algorithms/sssp.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "fathom/algorithms/check_sources.hpp"
#include "fathom/algorithms/sssp_functors.hpp"
#include "fathom/algorithms/sssp_width.hpp"
#include "fathom/ops/bucket.hpp"

namespace fathom {
namespace {

using Distances = VertexArray<Weight, MergeMin>;

void check_arguments(const Graph& graph, VertexId source, const SsspOptions& options) {
  check_sources(graph, {&source, 1});
  if (!(options.delta >= 0))
    throw Error(ErrorCode::Usage, "delta must be positive, or 0 to have it chosen, not " +
                                      std::to_string(options.delta));
}

}  // namespace

SsspResult sssp(const Context& ctx, const Graph& graph, VertexId source,
                const SsspOptions& options) {
  check_arguments(graph, source, options);
  graph.out().prepare(ctx, {kWholeList, true});
  const VertexId n = graph.vertices();
  Recorder record(ctx, graph.traffic());
  SsspResult result;
  result.delta = options.delta > 0 ? options.delta : automatic_delta(ctx, graph);

  Distances distance(ctx, n, kInfinity);
  distance.set(source, 0);
  VertexArray<std::uint32_t, MergeOr> bad_weight(ctx, 1, 0);
  Frontier pending(ctx, n);
  pending.assign(std::array{source});
  bucket(
      ctx, graph.out(), distance, pending, result.delta,
      [&](const Device& d) {
        return Relax<Weight>{distance.on(d), bad_weight.on(d)};
      },
      record);
  check_weights(bad_weight);

  result.reached = reduce(
      ctx, n, VertexId{0}, [&](const Device& d) { return CountReached<Weight>{distance.on(d)}; },
      MergeSum{});
  result.report = record.finish();
  result.distance = std::move(distance).take();
  return result;
}

}  // namespace fathom
