// Seeds in batches, each sampled by itself: what a file of samples, or an epoch, is made of.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "fathom/algorithms/neighbor_sampling/neighbor_sampling.hpp"
#include "fathom/exec/report.hpp"

namespace fathom {

struct SampledBatches {
  std::uint64_t batches = 0;
  std::uint64_t vertices = 0;                // of all samples, seeds among them
  std::vector<std::uint64_t> edges_per_hop;  // [hops], of all samples
  RunReport report;                          // its seconds without those of the consumer
};

/// A batch, its seeds, and what was drawn for them; it lies there until the consumer returns.
using SampleConsumer = std::function<void(std::uint64_t batch, std::span<const VertexId> seeds,
                                          const NeighborSample& sample)>;

/// Samples seeds [b * batch_size, (b + 1) * batch_size) as batch b (NeighborSampler::sample()), and
/// shows each sample to `consume`, if given, in order; of several ranks all give one or none, and
/// each is shown all samples.
/// @param batch_size  0: all seeds are one batch.
/// @throws what NeighborSampler does.
/// Cost: that of the samples; memory is that of the largest. Ranks whose hosts reach the lists
/// sample batches by turns, and are sent those of others where they are shown them, which takes
/// memory for one more.
FATHOM_API SampledBatches sample_batches(const Context& ctx, const Graph& graph,
                                         std::span<const VertexId> seeds,
                                         const NeighborSamplingOptions& options,
                                         std::uint64_t batch_size = 0,
                                         const SampleConsumer& consume = nullptr);

}  // namespace fathom
