#include "fathom/algorithms/sssp/width.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "fathom/algorithms/bad_weight.hpp"
#include "fathom/algorithms/sssp/functors.hpp"
#include "fathom/ops/split_operators.hpp"

namespace fathom {
namespace {

// Gives 8 on Kronecker and uniform graphs with weights 1 to 255 and mean degree 30. Of the widths 4
// to 32 tried there, 8 looked at 1.02 times the edges that must be looked at, 16 at 1.2 times.
constexpr double kWidthFactor = 2;

/// The mean of a few thousand weights, from 16 stretches of vertices so that few pages are read.
double mean_weight(Split& split, const Graph& graph) {
  const Context& ctx = split.context();
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
  assign(split, some, sample);
  VertexArray<double, MergeSum> sum(ctx, 1, 0.0);
  VertexArray<std::uint64_t, MergeSum> count(ctx, 1, 0);
  advance(
      split, graph.out(), some, nullptr,
      [&](const Device& d) {
        return SumWeights{sum.on(d), count.on(d)};
      },
      Emit::Once, kEdgesEach);
  merge(sum, count);
  return count.get(0) == 0 ? 0 : sum.get(0) / static_cast<double>(count.get(0));
}

double mean_degree(EdgeId edges, VertexId vertices) {
  return std::max(1.0, static_cast<double>(edges) / static_cast<double>(vertices));
}

}  // namespace

Weight automatic_delta(Split& split, const Graph& graph) {
  if (!graph.weighted() || graph.edges() == 0) return 1;
  const double degree = mean_degree(graph.edges(), graph.vertices());
  const auto delta = static_cast<Weight>(kWidthFactor * mean_weight(split, graph) / degree);
  return delta > 0 && delta < std::numeric_limits<Weight>::infinity() ? delta : 1;
}

double automatic_delta(std::span<const double> weights, VertexId vertices) {
  constexpr std::size_t kSample = 4096;
  const std::size_t sampled = std::min(kSample, weights.size());
  double mean = 0;  // divided before it is summed: weights may be as large as doubles are
  for (std::size_t i = 0; i < sampled; ++i)
    mean += weights[i * (weights.size() / sampled)] / static_cast<double>(sampled);
  const double delta = kWidthFactor / mean_degree(weights.size(), vertices) * mean;
  return delta > 0 && delta < std::numeric_limits<double>::infinity() ? delta : 1;
}

void check_weights(VertexArray<std::uint32_t, MergeOr>& bad_weight, const Graph& graph) {
  merge(bad_weight);
  if (bad_weight.get(0) != 0)
    refuse_weights(graph, "shortest paths need weights of at least 0 (bellman-ford does not)",
                   [](Weight w) { return !(w >= 0); });
}

void check_given_weights(VertexArray<std::uint32_t, MergeOr>& bad_weight) {
  merge(bad_weight);
  if (bad_weight.get(0) != 0)
    throw Error(ErrorCode::BadInput,
                "shortest paths need weights of at least 0; one of the caller is negative or NaN");
}

}  // namespace fathom
