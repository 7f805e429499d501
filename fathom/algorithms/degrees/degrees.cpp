#include "fathom/algorithms/degrees/degrees.hpp"

#include <map>
#include <utility>
#include <vector>

#include "fathom/algorithms/degrees/functors.hpp"
#include "fathom/algorithms/state_sizes.hpp"
#include "fathom/ops/advance.hpp"
#include "fathom/ops/compute.hpp"
#include "fathom/residency/run_lists.hpp"

namespace fathom {

DegreesResult degrees(const Context& ctx, const Graph& graph) {
  const VertexId n = graph.vertices();
  const bool count_arrivals = graph.directed() && !graph.has_in();
  std::vector<RunLists::Lists> read;
  if (count_arrivals) read.push_back({graph.out()});
  const RunLists lists(ctx, degrees_state(graph.directed()), read);
  Recorder record(ctx, graph.traffic());
  VertexArray<EdgeId> out(ctx, n);
  VertexArray<EdgeId, MergeSum> in(ctx, graph.directed() ? n : 0, 0);
  compute(ctx, n, [&](const Device& d) { return ListLength{graph.out().offsets(d), out.on(d)}; });
  record.step(n, 0, "offsets", graph.traffic());
  if (count_arrivals) {
    Frontier all(ctx, n);
    all.fill();
    advance(ctx, graph.out(), all, nullptr,
            [&](const Device& d) { return CountArrivals{in.on(d)}; });
    merge(in);
    record.step(n, graph.edges(), "push", graph.traffic());
  } else if (graph.directed()) {
    compute(ctx, n, [&](const Device& d) { return ListLength{graph.in().offsets(d), in.on(d)}; });
    record.step(n, 0, "offsets", graph.traffic());
  }
  DegreesResult result;
  result.report = record.finish();
  result.out = std::move(out).take();
  if (graph.directed()) result.in = std::move(in).take();
  return result;
}

std::vector<DegreeFrequency> degree_distribution(std::span<const EdgeId> degrees) {
  constexpr EdgeId kDense = 1 << 16;  // most degrees; the others wait in a map
  std::vector<std::uint64_t> few(kDense, 0);
  std::map<EdgeId, std::uint64_t> many;
  for (const EdgeId degree : degrees) ++(degree < kDense ? few[degree] : many[degree]);
  std::vector<DegreeFrequency> distribution;
  for (EdgeId degree = 0; degree < kDense; ++degree)
    if (few[degree] > 0) distribution.push_back({degree, few[degree]});
  for (const auto& [degree, vertices] : many) distribution.push_back({degree, vertices});
  return distribution;
}

}  // namespace fathom
