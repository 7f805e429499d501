#include "fathom/algorithms/bfs/bfs.hpp"
#include "fathom/dynamic/follow/incremental_parts.hpp"
#include "fathom/dynamic/follow/level_repair.hpp"

namespace fathom::dynamic {
namespace {

// Supersteps of a repair that take as long as a search through so many levels: of deep graphs it
// walks many at once.
constexpr std::uint32_t kLevelsOfAStep = 64;

/// A search leaves its levels on the host; the repair that comes next takes them to the device.
struct OperatorLevels final : FollowingLevels {
  OperatorLevels(const DynamicGraph& g, std::span<const VertexId> from)
      : FollowingLevels(g), source(from.begin(), from.end()), level(*graph->ctx) {
    too_large.doubt_first();
  }

  void start(const Graph& now) override {
    BfsResult found = bfs(*graph->ctx, now, source);
    searched = std::move(found.depth);
    most_steps = kRepairSteps + found.max_depth / kLevelsOfAStep;
  }
  void repair(const AppliedBatch& batch) override {
    const Graph now = graph_of(graph);
    const auto search = [&] { compute_anew([&] { start(now); }); };
    if (is_large(batch) || too_large.holds(batch.changed_edges())) return search();
    if (!repair_in_time(batch.changed_edges(), [&] { return try_to_follow(now, batch); })) search();
  }
  std::uint32_t depth(VertexId v) const override {
    return searched.empty() ? level.get(v) : searched[v];
  }
  std::vector<std::uint32_t> depths() const override {
    if (searched.empty()) return level.to_host();
    return {searched.begin(), searched.end()};
  }

  bool try_to_follow(const Graph& now, const AppliedBatch& batch) {
    if (!searched.empty()) level.assign(searched.data(), static_cast<VertexId>(searched.size()));
    searched = {};
    level.grow_to(now.vertices(), kNoLevel);
    const ChangesRef changes = batch.in_place();
    LevelRepair levels(*graph->ctx, now, false, {level.data(), nullptr},
                       {most_steps, too_large.computing()});
    Frontier lost = levels.lose(changes);
    levels.find_ways(lost);
    levels.offer(changes, true);
    return !levels.gave_up();
  }

  std::vector<VertexId> source;
  DeviceValues<std::uint32_t> level;
  Array<std::uint32_t> searched;  // empty: `level` is newer
  std::uint32_t most_steps = 0;
};
static_assert(kNoLevel == kUnreached);

}  // namespace

std::unique_ptr<FollowingLevels> levels_by_operators(const DynamicGraph& g,
                                                     std::span<const VertexId> sources) {
  return std::make_unique<OperatorLevels>(g, sources);
}

}  // namespace fathom::dynamic
