#include "fathom/algorithms/bfs.hpp"
#include "fathom/dynamic/incremental_parts.hpp"
#include "fathom/dynamic/level_repair.hpp"

namespace fathom::dynamic {
namespace {

struct OperatorLevels final : FollowingLevels {
  OperatorLevels(const DynamicGraph& g, std::span<const VertexId> from)
      : FollowingLevels(g), source(from.begin(), from.end()), level(*graph->ctx) {}

  void start(const Graph& now) override {
    const BfsResult found = bfs(*graph->ctx, now, source);
    level.assign(found.depth.data(), now.vertices());
  }
  void repair(const AppliedBatch& batch) override {
    const Context& ctx = *graph->ctx;
    const Graph now = graph_of(graph);
    if (is_large(batch)) return start(now);
    level.grow_to(now.vertices(), kNoLevel);
    const DeviceBatch changes(ctx, batch);
    LevelRepair levels(ctx, now, false, {level.data(), nullptr});
    Frontier lost = levels.lose(changes);
    levels.find_ways(lost);
    levels.offer(changes, true);
  }
  std::uint32_t depth(VertexId v) const override { return level.get(v); }
  std::vector<std::uint32_t> depths() const override { return level.to_host(); }

  std::vector<VertexId> source;
  DeviceValues<std::uint32_t> level;
};
static_assert(kNoLevel == kUnreached);

}  // namespace

std::unique_ptr<FollowingLevels> levels_by_operators(const DynamicGraph& g,
                                                     std::span<const VertexId> sources) {
  return std::make_unique<OperatorLevels>(g, sources);
}

}  // namespace fathom::dynamic
