#include "fathom/algorithms/bfs/bfs.hpp"

#include <utility>
#include <vector>

#include "fathom/algorithms/bfs/functors.hpp"
#include "fathom/algorithms/bfs/rank_levels.hpp"
#include "fathom/algorithms/check_sources.hpp"
#include "fathom/algorithms/multi_search/search_lists.hpp"
#include "fathom/algorithms/state_sizes.hpp"
#include "fathom/ops/run_small.hpp"
#include "fathom/ops/split_operators.hpp"
#include "fathom/residency/paged/split_run.hpp"

namespace fathom {
namespace {

// Beamer's thresholds, as the GAP suite sets them: pull once the frontier's edges exceed 1/alpha of
// those not yet looked at; push again once the frontier shrinks below 1/beta of the vertices.
constexpr EdgeId kAlpha = 15;
constexpr VertexId kBeta = 18;

// Supersteps are fused while their vertices have few edges each: roads, meshes, the first steps.
constexpr EdgeId kSmallFrontierDegree = 64;

using Depths = SplitArray<std::uint32_t, MergeMin>;
using Parents = SplitArray<VertexId, MergeMin>;

void check_arguments(const Graph& graph, std::span<const VertexId> sources,
                     const BfsOptions& options) {
  if (sources.empty()) throw Error(ErrorCode::Usage, "bfs needs at least one source");
  check_sources(graph, sources);
  if (options.direction == Direction::Pull && !graph.has_in())
    throw Error(ErrorCode::Usage, "pulling needs in-edges, and the graph was stored without them");
}

/// Decides before each superstep whether to push or to pull.
class Switch {
 public:
  Switch(const Context& ctx, const Graph& graph, Direction direction)
      : graph_(graph), direction_(direction), by_lines_(ctx.on_gpu()), unexplored_(graph.edges()) {
    pulling_ = direction == Direction::Pull;
  }

  /// Whether pulling may be cheaper at all, so that it is worth finding out what is unreached.
  bool may_pull(EdgeId frontier_edges) const {
    if (direction_ != Direction::Auto || !graph_.has_in()) return pulling_;
    return !by_lines_ || frontier_edges > graph_.edges() / kFewEdges;
  }

  /// `open`: unreached vertices whose lists would have to be read, counted when needed.
  template <class Open>
  bool pulls(const Frontier& now, EdgeId frontier_edges, const Open& open) {
    if (!may_pull(frontier_edges) || direction_ == Direction::Pull) return pulling_;
    // A GPU reads at least a line for each open vertex, whatever it finds there.
    if (by_lines_) return EdgeId{open()} * kLineEdges < frontier_edges;
    if (!pulling_) {
      // So few are pushed along sooner than all vertices, or all that have edges, are looked at.
      const EdgeId few = std::min(EdgeId{graph_.vertices()} / kScan, graph_.edges() / kFewEdges);
      pulling_ = frontier_edges > std::max(unexplored_ / kAlpha, few);
      unexplored_ -= std::min(unexplored_, frontier_edges);
    } else if (now.size() < last_size_ && now.size() <= graph_.vertices() / kBeta) {
      pulling_ = false;
    }
    last_size_ = now.size();
    return pulling_;
  }

 private:
  // Frontiers with a smaller share of the edges are pushed without further thought.
  static constexpr EdgeId kFewEdges = 64;
  static constexpr EdgeId kLineEdges = 32;
  // Edges that are pushed along in the time in which so many vertices are asked whether they are
  // reached.
  static constexpr EdgeId kScan = 16;

  const Graph& graph_;
  Direction direction_;
  bool by_lines_;
  EdgeId unexplored_;
  VertexId last_size_ = 0;
  bool pulling_ = false;
};

}  // namespace

BfsResult bfs(const Context& ctx, const Graph& graph, std::span<const VertexId> sources,
              const BfsOptions& options) {
  check_arguments(graph, sources, options);
  if (options.direction == Direction::Auto && detail::searches_by_rank(ctx, graph))
    return detail::bfs_by_rank(ctx, graph, distinct(sources), options);
  StateSize state =
      bfs_state(options.parents, graph.has_in() && options.direction != Direction::Push);
  if (options.direction == Direction::Pull) state.chunk = 0;
  SplitRun split_run(ctx, graph, state);
  Split& split = split_run.split();
  if (split.on() && options.direction == Direction::Pull)
    split_run.refuse("bfs pushes where vertex state is split");
  // What is split is pushed to: the pages that a superstep needs are then those of its frontier.
  const Direction asked = split.on() ? Direction::Push : options.direction;
  const bool may_pull = graph.has_in() && asked != Direction::Push;
  const RunLists lists(ctx, state, search_lists(graph, may_pull, options.hints));
  const bool hints = may_pull && options.hints && graph.in().hints(ctx.devices()[0]);
  const VertexId n = graph.vertices();
  Recorder record(ctx, graph.traffic());

  Depths depth(split, n, kUnreached);
  Parents parent(split, options.parents ? n : 0, kNoVertex);
  auto parents_on = [&](const Device& d) { return options.parents ? parent.on(d) : nullptr; };
  const std::vector<VertexId> start = distinct(sources);
  for (const VertexId s : start) {
    depth.set(s, 0);
    if (options.parents) parent.set(s, s);
  }

  Frontier now(ctx, n), next(ctx, n), unreached(ctx, n), hinted(ctx, n);
  assign(split, now, start);
  BfsResult result;
  Switch direction(ctx, graph, asked);
  bool know_unreached = false;  // and have it in `unreached`
  auto find_unreached = [&] {
    if (know_unreached) return;
    Frontier all(ctx, n);
    all.fill();
    filter(ctx, all, unreached, [&](const Device& d) {
      return Unreached{depth.on(d), graph.in().offsets(d)};
    });
    know_unreached = true;
  };
  for (std::uint32_t level = 0;; ++level) {
    const EdgeId edges = degree_sum(split, graph.out(), now);
    if (now.empty()) break;
    result.max_depth = level;
    if (level == options.depth_limit) {
      result.reached += now.size();
      break;
    }
    if (!direction.may_pull(edges) && now.size() <= kSmallFrontier &&
        edges / now.size() <= kSmallFrontierDegree) {
      const SmallRun run =
          run_small(ctx, graph.out(), now, options.depth_limit - level, [&](const Device& d) {
            return BfsPush{depth.on(d), parents_on(d), level + 1};
          });
      if (run.steps > 0) {
        result.reached += static_cast<VertexId>(run.vertices);
        level += run.steps - 1;
        result.max_depth = level;
        know_unreached = false;
        record.step(run.vertices, run.edges, "fused", graph.traffic());
        continue;
      }
    }
    result.reached += now.size();
    // A well-chosen neighbour of each vertex lies next to it: most need no list.
    const bool by_hints = hints && direction.may_pull(edges);
    if (by_hints) {
      find_unreached();
      filter(ctx, unreached, hinted, [&](const Device& d) {
        return BfsHint{now.on(d).bits, graph.in().hints(d), depth.on(d), parents_on(d), level + 1};
      });
      unreached.subtract(hinted);
    }
    const bool pull = direction.pulls(now, edges, [&] {
      find_unreached();
      return unreached.size();
    });
    if (pull) {
      now.make_bitmap();
      find_unreached();
      gather(ctx, graph.in(), unreached, &next, [&](const Device& d) {
        return BfsPull{now.on(d).bits, depth.on(d), parents_on(d), level + 1};
      });
      unreached.subtract(next);
    } else {
      if (!split.on()) now.make_list();
      advance(split, graph.out(), now, &next, [&](const Device& d) {
        return BfsPush{depth.on(d), parents_on(d), level + 1};
      });
      know_unreached = false;
    }
    if (by_hints) next.unite(hinted);
    if (ctx.ranks() > 1) {
      // Its depth says a vertex's place in `next`; parents, of which any will do, can wait.
      compute(ctx, next, [&](const Device& d) { return FoundElsewhere{depth.on(d), level + 1}; });
    } else {
      depth.merge(&next);
      if (options.parents) parent.merge(&next);
    }
    record.step(now.size(), edges, pull ? "pull" : "push", graph.traffic());
    std::swap(now, next);
  }
  if (ctx.ranks() > 1 && options.parents) parent.merge();
  result.report = record.finish();
  result.report.chunks = split.chunks();

  result.depth = std::move(depth).take();
  if (options.parents) result.parent = std::move(parent).take();
  return result;
}

}  // namespace fathom
