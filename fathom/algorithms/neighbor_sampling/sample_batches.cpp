#include "fathom/algorithms/neighbor_sampling/sample_batches.hpp"

#include <algorithm>
#include <chrono>

namespace fathom {

SampledBatches sample_batches(const Context& ctx, const Graph& graph,
                              std::span<const VertexId> seeds,
                              const NeighborSamplingOptions& options, std::uint64_t batch_size,
                              const SampleConsumer& consume) {
  using Clock = std::chrono::steady_clock;
  NeighborSampler sampler(ctx, graph, options);
  SampledBatches result;
  result.edges_per_hop.assign(options.fan_out.size(), 0);
  Recorder record(ctx, graph.traffic());
  double aside = 0;
  const std::size_t each = batch_size == 0
                               ? std::max<std::size_t>(seeds.size(), 1)
                               : static_cast<std::size_t>(std::min<std::uint64_t>(batch_size, ~0u));
  for (std::size_t first = 0; first < seeds.size(); first += each) {
    ctx.task().check();
    const auto its = seeds.subspan(first, std::min(each, seeds.size() - first));
    const NeighborSample sample = sampler.sample(its, result.batches);
    result.vertices += sample.nodes.size();
    for (std::size_t hop = 0; hop < result.edges_per_hop.size(); ++hop)
      result.edges_per_hop[hop] += sample.edges_per_hop[hop];
    const auto start = Clock::now();
    if (consume) consume(result.batches, its, sample);
    aside += std::chrono::duration<double>(Clock::now() - start).count();
    ++result.batches;
  }
  result.report = record.finish();
  result.report.seconds = std::max(0., result.report.seconds - aside);
  return result;
}

}  // namespace fathom
