#include "fathom/algorithms/sssp/sssp.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "fathom/algorithms/check_sources.hpp"
#include "fathom/algorithms/sssp/functors.hpp"
#include "fathom/algorithms/sssp/width.hpp"
#include "fathom/algorithms/state_sizes.hpp"
#include "fathom/ops/bucket.hpp"
#include "fathom/residency/paged/split_run.hpp"
#include "fathom/residency/run_lists.hpp"

namespace fathom {
namespace {

using Distances = SplitArray<Weight, MergeMin>;

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
  const StateSize state = sssp_state();
  SplitRun split_run(ctx, graph, state);
  Split& split = split_run.split();
  std::vector<RunLists::Lists> read;
  if (!split.on()) read.push_back({graph.out(), {kWholeList, true}});
  const RunLists lists(ctx, state, read);
  const VertexId n = graph.vertices();
  Recorder record(ctx, graph.traffic());
  SsspResult result;
  result.delta = options.delta > 0 ? options.delta : automatic_delta(split, graph);

  Distances distance(split, n, kInfinity, Use::AtSourceToo);
  distance.set(source, 0);
  VertexArray<std::uint32_t, MergeOr> bad_weight(ctx, 1, 0);
  Frontier pending(ctx, n);
  assign(split, pending, std::array{source});
  bucket(
      split, graph.out(), distance, pending, result.delta,
      [&](const Device& d) {
        return Relax<Weight>{distance.on(d), bad_weight.on(d)};
      },
      [&](const Device& d) {
        return RelaxApart<Weight>{distance.at_source(d), distance.on(d), bad_weight.on(d)};
      },
      record);
  check_weights(bad_weight);

  result.reached = reduce(
      split, n, VertexId{0}, [&](const Device& d) { return CountReached<Weight>{distance.on(d)}; },
      MergeSum{});
  result.report = record.finish();
  result.report.chunks = split.chunks();
  result.distance = std::move(distance).take();
  return result;
}

}  // namespace fathom
