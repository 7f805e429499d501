#include "fathom/algorithms/bfs.hpp"

#include <string>
#include <utility>
#include <vector>

#include "fathom/algorithms/bfs_functors.hpp"
#include "fathom/ops/advance.hpp"
#include "fathom/ops/compute.hpp"
#include "fathom/ops/gather.hpp"

namespace fathom {
namespace {

// Beamer's thresholds, as the GAP suite sets them: pull once the frontier's edges exceed 1/alpha of
// those not yet looked at; push again once the frontier shrinks below 1/beta of the vertices.
constexpr EdgeId kAlpha = 15;
constexpr VertexId kBeta = 18;

using Depths = VertexArray<std::uint32_t, MergeMin>;
using Parents = VertexArray<VertexId, MergeMin>;

void check_arguments(const Graph& graph, std::span<const VertexId> sources,
                     const BfsOptions& options) {
  if (sources.empty()) throw Error(ErrorCode::Usage, "bfs needs at least one source");
  for (const VertexId s : sources)
    if (s >= graph.vertices())
      throw Error(ErrorCode::Usage, "source " + std::to_string(s) +
                                        " is out of range: the graph has " +
                                        std::to_string(graph.vertices()) + " vertices");
  if (options.direction == Direction::Pull && !graph.has_in())
    throw Error(ErrorCode::Usage, "pulling needs in-edges, and the graph was stored without them");
}

std::vector<VertexId> distinct(std::span<const VertexId> sources) {
  std::vector<VertexId> list(sources.begin(), sources.end());
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
  return list;
}

/// Decides before each superstep whether to push or to pull.
class Switch {
 public:
  Switch(const Graph& graph, Direction direction)
      : graph_(graph), direction_(direction), unexplored_(graph.edges()) {
    pulling_ = direction == Direction::Pull;
  }

  bool pulls(const Frontier& now, EdgeId frontier_edges) {
    if (direction_ != Direction::Auto || !graph_.has_in()) return pulling_;
    if (!pulling_) {
      pulling_ = frontier_edges > unexplored_ / kAlpha;
      unexplored_ -= std::min(unexplored_, frontier_edges);
    } else if (now.size() < last_size_ && now.size() <= graph_.vertices() / kBeta) {
      pulling_ = false;
    }
    last_size_ = now.size();
    return pulling_;
  }

 private:
  const Graph& graph_;
  Direction direction_;
  EdgeId unexplored_;
  VertexId last_size_ = 0;
  bool pulling_ = false;
};

}  // namespace

BfsResult bfs(const Context& ctx, const Graph& graph, std::span<const VertexId> sources,
              const BfsOptions& options) {
  check_arguments(graph, sources, options);
  const VertexId n = graph.vertices();
  Recorder record(ctx);

  Depths depth(ctx, n, kUnreached);
  Parents parent(ctx, options.parents ? n : 0, kNoVertex);
  auto parents_on = [&](const Device& d) { return options.parents ? parent.on(d) : nullptr; };
  const std::vector<VertexId> start = distinct(sources);
  for (const VertexId s : start) {
    depth.set(s, 0);
    if (options.parents) parent.set(s, s);
  }

  Frontier now(ctx, n), next(ctx, n), unreached(ctx, n);
  now.assign(start);
  BfsResult result;
  Switch direction(graph, options.direction);
  bool was_pulling = false;
  while (!now.empty() && result.max_depth < options.depth_limit) {
    result.reached += now.size();
    const std::uint32_t level = result.max_depth + 1;
    const EdgeId edges = graph.out().degree_sum(ctx, now);
    const bool pull = direction.pulls(now, edges);
    if (pull) {
      now.make_bitmap();
      if (!was_pulling) {
        Frontier all(ctx, n);
        all.fill();
        filter(ctx, all, unreached, [&](const Device& d) {
          return [depths = depth.on(d)](VertexId v) { return depths[v] == kUnreached; };
        });
      }
      gather(ctx, graph.in(), unreached, &next, [&](const Device& d) {
        return BfsPull{now.on(d).bits, depth.on(d), parents_on(d), level};
      });
      unreached.subtract(next);
    } else {
      now.make_list();
      advance(ctx, graph.out(), now, &next, [&](const Device& d) {
        return BfsPush{depth.on(d), parents_on(d), level};
      });
    }
    merge(depth, parent);
    record.step(now.size(), edges, pull ? "pull" : "push", graph.traffic());
    was_pulling = pull;
    std::swap(now, next);
    if (!now.empty()) result.max_depth = level;
  }
  result.reached += now.size();  // what the depth limit left unexpanded

  result.depth = std::move(depth).take();
  if (options.parents) result.parent = std::move(parent).take();
  result.report = record.finish();
  return result;
}

}  // namespace fathom
