// Neighbour sampling over every executor and residency: the same requests, and samples that can be
// kept and compared.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "fathom/algorithms/neighbor_sampling/neighbor_sampling.hpp"
#include "tests/reference/sampling/neighbor_sampling.hpp"
#include "tests/suites/zoo.hpp"

namespace fathom::testing {

inline reference::Sample copy_of(const NeighborSample& s) {
  const auto all = [](const auto& span) { return std::vector(span.begin(), span.end()); };
  reference::Sample copy{all(s.nodes),         all(s.row), all(s.col), all(s.tree),
                         all(s.nodes_per_hop), {},         {}};
  copy.edge.assign(s.edge.begin(), s.edge.end());
  copy.edges_per_hop.assign(s.edges_per_hop.begin(), s.edges_per_hop.end());
  return copy;
}

struct SamplingCase {
  std::string name;
  NeighborSamplingOptions options;  // without times
  bool timed = false;
};

/// `weighted`: also those that draw by weight.
inline std::vector<SamplingCase> sampling_cases(bool weighted) {
  std::vector<SamplingCase> cases;
  const auto add = [&](std::string name, std::vector<std::int64_t> fan_out, SampleAlong along,
                       bool timed = false) -> NeighborSamplingOptions& {
    NeighborSamplingOptions options;
    options.fan_out = std::move(fan_out);
    options.along = along;
    options.seed = cases.size();
    options.disjoint = timed;
    cases.push_back({std::move(name), std::move(options), timed});
    return cases.back().options;
  };
  constexpr auto in = SampleAlong::InEdges, out = SampleAlong::OutEdges;
  add("few", {3, 2}, in);
  add("all", {-1, 2}, out);
  add("many", {100, 1}, out);
  add("none", {0, 3}, in);
  add("replace", {4, 3}, in).replace = true;
  add("disjoint", {3, 2, 2}, in).disjoint = true;
  add("timed", {3, 3}, in, true);
  add("timed_all", {-1, 2}, in, true);
  add("timed_replace", {3, 2}, out, true).replace = true;
  add("timed_last", {2, 70, 2}, in, true).temporal = TemporalChoice::Last;
  if (!weighted) return cases;
  add("weighted", {3, 2}, in).weighted = true;
  add("weighted_many", {100, 2}, out).weighted = true;
  NeighborSamplingOptions& again = add("weighted_replace", {4, 70}, out);
  again.weighted = again.replace = true;
  add("timed_weighted", {3, -1, 2}, in, true).weighted = true;
  return cases;
}

/// Times of n edges or seeds; many are equal.
inline std::vector<std::int64_t> some_times(std::uint64_t n, std::uint64_t seed) {
  zoo::Dice dice(seed);
  std::vector<std::int64_t> times;
  for (std::uint64_t i = 0; i < n; ++i)
    times.push_back(static_cast<std::int64_t>(dice.roll(50)) - 20);
  return times;
}

/// The first and the last vertex, hubs of the zoo, and one of them twice.
inline std::vector<VertexId> some_seeds(VertexId vertices) {
  std::vector<VertexId> seeds;
  if (vertices == 0) return seeds;
  const VertexId last = vertices - 1;
  for (const VertexId v : {VertexId{0}, vertices / 3, last, VertexId{700}, VertexId{3},
                           vertices / 3, VertexId{70}, VertexId{201}})
    seeds.push_back(v < vertices ? v : last);
  return seeds;
}

/// What a case asks for in full, for the oracle.
inline reference::SampleRequest request_of(const SamplingCase& its,
                                           const std::vector<std::int64_t>& times) {
  const NeighborSamplingOptions& o = its.options;
  reference::SampleRequest request;
  request.fan_out = o.fan_out;
  request.in_edges = o.along == SampleAlong::InEdges;
  request.replace = o.replace;
  request.weighted = o.weighted;
  request.disjoint = o.disjoint;
  if (its.timed) request.edge_times = times;
  request.last = o.temporal == TemporalChoice::Last;
  return request;
}

/// A case on a graph, its sampler used for two batches.
struct SampledCase {
  NeighborSamplingOptions options;
  std::vector<std::int64_t> edge_times, seed_times;
  std::vector<VertexId> seeds;

  SampledCase(const SamplingCase& its, const Graph& graph) : options(its.options) {
    seeds = some_seeds(graph.vertices());
    if (!its.timed) return;
    edge_times = some_times(graph.edges(), 5);
    seed_times = some_times(seeds.size(), 6);
    options.edge_times = edge_times;
  }
  SampledCase(const SampledCase&) = delete;
  SampledCase& operator=(const SampledCase&) = delete;

  std::vector<reference::Sample> run(const Context& ctx, const Graph& graph, SampleReads reads) {
    options.reads = reads;
    NeighborSampler sampler(ctx, graph, options);
    std::vector<reference::Sample> samples;
    for (const std::uint64_t batch : {7, 8})
      samples.push_back(copy_of(sampler.sample(seeds, batch, seed_times)));
    return samples;
  }
};

}  // namespace fathom::testing
