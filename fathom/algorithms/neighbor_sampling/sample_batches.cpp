#include "fathom/algorithms/neighbor_sampling/sample_batches.hpp"

#include <algorithm>
#include <chrono>

#include "fathom/algorithms/neighbor_sampling/growing_array.hpp"
#include "fathom/exec/ranks/by_turns.hpp"

namespace fathom {
namespace {

/// A sample that one rank has, on all of them.
class ToldSample {
 public:
  ToldSample(ReplicaGroup& group, const std::shared_ptr<MemoryPool>& pool)
      : group_(group), nodes_(pool), row_(pool), col_(pool), tree_(pool), edge_(pool) {}

  /// `mine` is read on that rank alone.
  NeighborSample by(int rank, const NeighborSample& mine) {
    if (group_.ranks() == 1) return mine;
    return {tell(rank, mine.nodes, nodes_),
            tell(rank, mine.row, row_),
            tell(rank, mine.col, col_),
            tell(rank, mine.edge, edge_),
            tell(rank, mine.tree, tree_),
            tell(rank, mine.nodes_per_hop, nodes_per_hop_),
            tell(rank, mine.edges_per_hop, edges_per_hop_)};
  }

 private:
  template <class Into, class T>
  std::span<const T> tell(int rank, std::span<const T> mine, Into& into) {
    std::uint64_t size = mine.size();
    group_.broadcast(&size, sizeof size, rank);
    into.resize(static_cast<std::size_t>(size));
    if (rank == group_.rank()) std::copy(mine.begin(), mine.end(), into.data());
    group_.broadcast(into.data(), into.size() * sizeof(T), rank);
    return {into.data(), into.size()};
  }

  ReplicaGroup& group_;
  GrowingArray<VertexId> nodes_;
  GrowingArray<std::uint32_t> row_, col_, tree_;
  GrowingArray<EdgeId> edge_;
  std::vector<std::uint32_t> nodes_per_hop_;
  std::vector<EdgeId> edges_per_hop_;
};

}  // namespace

SampledBatches sample_batches(const Context& ctx, const Graph& graph,
                              std::span<const VertexId> seeds,
                              const NeighborSamplingOptions& options, std::uint64_t batch_size,
                              const SampleConsumer& consume) {
  using Clock = std::chrono::steady_clock;
  NeighborSampler sampler(ctx, graph, options);
  // Elsewhere all ranks draw each batch together.
  ReplicaGroup& group = sampler.reads_on_host() ? ctx.group() : *ReplicaGroup::alone();
  ToldSample told(group, ctx.host_memory());
  const std::size_t each = batch_size == 0
                               ? std::max<std::size_t>(seeds.size(), 1)
                               : static_cast<std::size_t>(std::min<std::uint64_t>(batch_size, ~0u));
  const auto seeds_of = [&](std::uint64_t batch) {
    const auto first = static_cast<std::size_t>(batch) * each;
    return seeds.subspan(first, std::min(each, seeds.size() - first));
  };
  SampledBatches result;
  result.batches = (seeds.size() + each - 1) / each;
  std::vector<std::uint64_t> counts(1 + options.fan_out.size());  // vertices, and edges per hop
  NeighborSample mine;
  double aside = 0;
  Recorder record(ctx, graph.traffic());
  const auto draw = [&](std::uint64_t batch) {
    ctx.task().check();
    mine = sampler.sample(seeds_of(batch), batch);
    counts[0] += mine.nodes.size();
    for (std::size_t hop = 0; hop < mine.edges_per_hop.size(); ++hop)
      counts[1 + hop] += mine.edges_per_hop[hop];
  };
  const auto show = [&](std::uint64_t batch, int rank) {
    if (!consume) return;
    const NeighborSample sample = told.by(rank, mine);
    const auto start = Clock::now();
    consume(batch, seeds_of(batch), sample);
    aside += std::chrono::duration<double>(Clock::now() - start).count();
  };
  by_turns(group, result.batches, draw, show);
  group.all_reduce(counts.data(), counts.size(), ScalarKind::Uint64, MergeRule::Sum);
  result.vertices = counts[0];
  result.edges_per_hop.assign(counts.begin() + 1, counts.end());
  result.report = record.finish();
  result.report.seconds = std::max(0., result.report.seconds - aside);
  return result;
}

}  // namespace fathom
