#include "fathom/algorithms/sssp.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "fathom/algorithms/sssp_functors.hpp"
#include "fathom/ops/bucket.hpp"

namespace fathom {
namespace {

using Distances = VertexArray<Weight, MergeMin>;

void check_arguments(const Graph& graph, VertexId source, const SsspOptions& options) {
  if (source >= graph.vertices())
    throw Error(ErrorCode::Usage, "source " + std::to_string(source) +
                                      " is out of range: the graph has " +
                                      std::to_string(graph.vertices()) + " vertices");
  if (!(options.delta >= 0))
    throw Error(ErrorCode::Usage, "delta must be positive, or 0 to have it chosen, not " +
                                      std::to_string(options.delta));
}

/// The mean of a few thousand weights, from 16 stretches of vertices so that few pages are read.
double mean_weight(const Context& ctx, const Graph& graph) {
  constexpr VertexId kStretches = 16, kLength = 64;
  constexpr EdgeId kEdgesEach = 16;
  std::vector<VertexId> sample;
  const VertexId n = graph.vertices();
  for (VertexId s = 0; s < kStretches; ++s) {
    const auto first = static_cast<VertexId>(std::uint64_t{n} * s / kStretches);
    const auto next = static_cast<VertexId>(std::uint64_t{n} * (s + 1) / kStretches);
    for (VertexId v = first; v < next && v < first + kLength; ++v) sample.push_back(v);
  }
  Frontier some(ctx, n);
  some.assign(sample);
  VertexArray<double, MergeSum> sum(ctx, 1, 0.0);
  VertexArray<std::uint64_t, MergeSum> count(ctx, 1, 0);
  advance(
      ctx, graph.out(), some, nullptr,
      [&](const Device& d) {
        return SumWeights{sum.on(d), count.on(d)};
      },
      Emit::Once, kEdgesEach);
  merge(sum, count);
  return count.get(0) == 0 ? 0 : sum.get(0) / static_cast<double>(count.get(0));
}

/// Meyer and Sanders show that a width of the order of (weight / degree) keeps the work linear on
/// random weights.
Weight automatic_delta(const Context& ctx, const Graph& graph) {
  constexpr double kFactor = 2;
  if (!graph.weighted() || graph.edges() == 0) return 1;
  const double degree =
      std::max(1.0, static_cast<double>(graph.edges()) / static_cast<double>(graph.vertices()));
  const auto delta = static_cast<Weight>(kFactor * mean_weight(ctx, graph) / degree);
  return delta > 0 && delta < kInfinity ? delta : 1;
}

}  // namespace

SsspResult sssp(const Context& ctx, const Graph& graph, VertexId source,
                const SsspOptions& options) {
  check_arguments(graph, source, options);
  const VertexId n = graph.vertices();
  Recorder record(ctx);
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
  merge(bad_weight);
  if (bad_weight.get(0) != 0)
    throw Error(ErrorCode::BadInput,
                "shortest paths need weights of at least 0; the graph has a negative one or NaN");

  result.reached = reduce(
      ctx, n, VertexId{0},
      [&](const Device& d) {
        return [at = distance.on(d)](VertexId v) { return VertexId{at[v] < kInfinity}; };
      },
      MergeSum{});
  result.distance = std::move(distance).take();
  result.report = record.finish();
  return result;
}

}  // namespace fathom
