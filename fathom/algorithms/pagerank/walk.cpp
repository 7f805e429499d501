#include "fathom/algorithms/pagerank/walk.hpp"

#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "fathom/algorithms/pagerank/functors.hpp"
#include "fathom/algorithms/vertex_error.hpp"
#include "fathom/ops/split_operators.hpp"

namespace fathom {
namespace {

[[noreturn]] void refuse(const std::string& what) {
  throw Error(ErrorCode::Usage, "pagerank: " + what);
}

/// One value per vertex, none of them negative and one of them positive; or none at all.
void check_shape(const Graph& graph, std::span<const double> shape, const std::string& name) {
  if (shape.empty()) return;
  if (shape.size() != graph.vertices())
    refuse("the " + name + " has " + std::to_string(shape.size()) + " values for " +
           std::to_string(graph.vertices()) + " vertices");
  bool positive = false;
  for (std::size_t v = 0; v < shape.size(); ++v) {
    if (!(shape[v] >= 0 && std::isfinite(shape[v])))
      refuse("the " + name + " of vertex " + std::to_string(v) + " is " + std::to_string(shape[v]));
    positive = positive || shape[v] > 0;
  }
  if (!positive) refuse("the " + name + " is zero everywhere");
}

/// Where state is split: by the host's offsets.
void set_degrees(EdgeSource& edges, SplitArray<double, MergeSum>& out_weight) {
  const EdgeId* const offset = detail::split_source(edges).host_offsets();
  out_weight.generate(
      [&](std::size_t v) { return static_cast<double>(offset[v + 1] - offset[v]); });
}

/// @return whether shares may be floats
bool add_weights(Split& split, const Graph& graph, SplitArray<double, MergeSum>& out_weight) {
  Frontier all(split.context(), graph.vertices());
  all.fill();
  out_weight.fill(0);
  gather_own(split, graph.out(), all,
             [&](const Device& d) { return OutWeights{out_weight.on(d)}; });
  merge(out_weight);
  const auto first_beyond = [&](double least, double most) {
    return reduce(
        split, graph.vertices(), kNoVertex,
        [&](const Device& d) {
          return OutWeightBeyond{out_weight.on(d), least, most};
        },
        MergeMin{});
  };
  const VertexId bad = first_beyond(0, std::numeric_limits<double>::max());
  if (bad != kNoVertex)
    throw VertexError(ErrorCode::BadInput,
                      "pagerank: vertex {} has an out-edge whose weight is negative or not finite",
                      {bad});
  return first_beyond(kLeastFloatTotal, kMostFloatTotal) == kNoVertex;
}

}  // namespace

void check_arguments(const Graph& graph, const PagerankOptions& options) {
  if (!(options.alpha >= 0 && options.alpha <= 1))
    refuse("alpha is a probability, not " + std::to_string(options.alpha));
  if (!(options.tolerance >= 0))
    refuse("the tolerance cannot be " + std::to_string(options.tolerance));
  check_shape(graph, options.personalization, "personalization");
  check_shape(graph, options.start, "start");
}

std::vector<double> with_sum_one(std::span<const double> shape) {
  // The largest value first, so that no sum overflows.
  const double scale = *std::max_element(shape.begin(), shape.end());
  std::vector<double> values(shape.begin(), shape.end());
  for (double& value : values) value /= scale;
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  for (double& value : values) value /= sum;
  return values;
}

std::optional<VertexRange> seen_whole(const EdgeSource& in, bool weights) {
  if (const auto own = in.own_lists()) return own;
  if (in.whole({kWholeList, weights})) return VertexRange{0, in.vertices()};
  return std::nullopt;
}

bool is_symmetric_system(bool directed, double alpha, double tolerance) {
  return !directed && tolerance > 0 && alpha > 0 && alpha < 1;
}

double effective_tolerance(const Graph& graph, const PagerankOptions& options) {
  const bool per_vertex = options.compat == PagerankCompat::Networkx;
  return options.tolerance * (per_vertex ? static_cast<double>(graph.vertices()) : 1);
}

RankWalk::RankWalk(Split& split, const Graph& graph, const PagerankOptions& options, FewJumps jumps)
    : alpha(options.alpha),
      tolerance(effective_tolerance(graph, options)),
      spread_dangling(options.compat != PagerankCompat::Gap),
      uniform_jump(1 / static_cast<double>(graph.vertices())),
      source(&graph.out()),
      out_weight(split,
                 split.on() || (options.weighted && graph.weighted()) ? graph.vertices() : 0),
      jump(split, jumps.empty() ? options.personalization.size() : graph.vertices()) {
  if (options.weighted && graph.weighted())
    floats_do = add_weights(split, graph, out_weight);
  else if (split.on())
    set_degrees(graph.out(), out_weight);
  if (!jumps.empty()) {
    jump.fill(0);
    for (const auto& [v, share] : jumps) jump.set(v, share);
  } else if (jump.size() > 0) {
    jump.assign(with_sum_one(options.personalization));
  }
}

}  // namespace fathom
