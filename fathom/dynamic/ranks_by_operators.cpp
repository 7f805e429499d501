#include <algorithm>

#include "fathom/algorithms/pagerank.hpp"
#include "fathom/dynamic/incremental_parts.hpp"
#include "fathom/dynamic/level_repair.hpp"
#include "fathom/dynamic/rank_functors.hpp"
#include "fathom/ops/advance.hpp"
#include "fathom/ops/compute.hpp"

namespace fathom::dynamic {
namespace {

// Edges that are pushed before ranks are iterated instead, as a part of all.
constexpr EdgeId kMostPushed = 2;
// Of iterations: for tolerances that rounding does not let them come to.
constexpr std::uint32_t kMostIterations = 10000;

/// As HostRanks has them. A superstep takes all that the frontier lacks before anything is given,
/// so that nobody's residual changes while it is taken.
struct OperatorRanks final : FollowingRanks {
  OperatorRanks(const DynamicGraph& g, const IncrementalPagerankOptions& wanted)
      : FollowingRanks(g),
        options(wanted),
        q(*graph->ctx),
        residual(*graph->ctx),
        share(*graph->ctx) {}

  void start(const Graph& now) override {
    list = graph->view(false).list;
    iterate(now, options.tolerance);
    Frontier all(ctx(), now.vertices()), lacking(ctx(), now.vertices());
    all.fill();
    advance(ctx(), now.out(), all, nullptr, [&](const Device&) { return give(); });
    filter(ctx(), all, lacking, [&](const Device&) { return IsLacking{residuals()}; });
    settle(now, std::move(lacking));
  }
  void repair(const AppliedBatch& batch) override {
    const Graph now = graph_of(graph);
    list = graph->view(false).list;
    grow(now.vertices());
    if (is_large(batch))
      iterate_on(now);
    else
      settle(now, follow_lists(now, batch));
  }
  std::vector<double> ranks() const override {
    std::vector<double> rank = q.to_host();
    double total = 0;
    for (const double r : rank) total += r;
    for (double& r : rank) r /= total;
    return rank;
  }
  std::uint64_t pushes() const override { return pushed_vertices; }

  IncrementalPagerankOptions options;
  DeviceValues<double> q, residual, share;
  const DynamicList* list = nullptr;  // of the graph as it is
  double enough = 0;                  // a residual that may stay
  std::uint64_t pushed_vertices = 0;

  const Context& ctx() const { return *graph->ctx; }
  Residuals residuals() { return {residual.data(), enough}; }
  GiveShare give() { return {residuals(), share.data()}; }

  /// A vertex that comes has no edges that are known of: its q is 1.
  void grow(VertexId vertices) {
    q.grow_to(vertices, 1);
    residual.grow_to(vertices, 0);
    share.grow_to(vertices, 0);
    renew_enough();
  }
  /// As for HostRanks: a quarter of the tolerance is for residuals that stay, the rest for what
  /// iterations leave.
  void renew_enough() {
    const double sum = reduce(
        ctx(), q.size(), 0.0, [&](const Device&) { return ValueOf{q.data()}; }, MergeSum{});
    enough =
        options.tolerance * options.alpha / 8 * sum / std::max(static_cast<double>(q.size()), 1.0);
  }

  /// Ranks by iterations from those of now, if any, with residuals that lack what edges give, and
  /// shares that are what they give.
  void iterate(const Graph& now, double tolerance) {
    const VertexId n = now.vertices();
    PagerankOptions more;
    more.alpha = options.alpha;
    more.tolerance = tolerance;
    more.max_iterations = kMostIterations;
    std::vector<double> known;
    if (q.size() == n && n > 0) more.start = known = ranks();
    const PagerankResult found = pagerank(ctx(), now, more);
    q.assign(found.rank.data(), n);
    residual.grow_to(n, 0);
    share.grow_to(n, 0);
    const double dangling = reduce(
        ctx(), n, 0.0,
        [&](const Device&) {
          return DanglingRank{list, q.data()};
        },
        MergeSum{});
    const double scale = static_cast<double>(n) / (1 - options.alpha * (1 - dangling));
    compute(ctx(), n, [&](const Device&) {
      return StartRanks{list, options.alpha, scale, q.data(), residual.data(), share.data()};
    });
    renew_enough();
    pushed_vertices += std::uint64_t{n} * found.iterations;
  }
  /// The same, until all that is lacking may stay.
  void iterate_on(const Graph& now) {
    pushed_vertices = 0;
    iterate(now, options.tolerance * 3 / 8);
    residual.fill(residual.size(), 0);
  }

  /// The lists that a batch changed give to their targets what they now have to.
  Frontier follow_lists(const Graph& now, const AppliedBatch& batch) {
    const auto lists = static_cast<VertexId>(batch.list.size());
    const Array<ChangedList> changed = on_device(ctx(), batch.list);
    Frontier sources(ctx(), now.vertices()), lacking(ctx(), now.vertices()),
        more(ctx(), now.vertices());
    sources.begin_bitmap();
    compute(ctx(), lists, [&](const Device& d) {
      return ShareOfList{changed.data(), q.data(), options.alpha, share.data(), sources.bits(d)};
    });
    sources.end_bitmap();
    advance(
        ctx(), now.out(), sources, &lacking, [&](const Device&) { return give(); }, Emit::Often);
    const std::vector<MovedShare> moved = moved_shares(batch);
    const Array<MovedShare> here = on_device(ctx(), moved);
    more.begin_bitmap();
    compute(ctx(), static_cast<VertexId>(moved.size()), [&](const Device& d) {
      return MoveShare{here.data(), q.data(), options.alpha, residuals(), more.bits(d)};
    });
    more.end_bitmap();
    lacking.unite(more);
    return lacking;
  }
  static std::vector<MovedShare> moved_shares(const AppliedBatch& batch) {
    std::vector<MovedShare> moved;
    for (const ChangedList& its : batch.list) {
      if (its.before == 0) continue;
      for (std::size_t i = its.first; i < its.last; ++i) {
        const ChangedEdge& e = batch.edge[i];
        const double edges = static_cast<double>(e.after) - e.before;
        moved.push_back({e.source, e.target, edges / its.before});
      }
    }
    return moved;
  }

  /// Pushes, which touches nothing but what has a residual, or, when that is more than a part of
  /// the graph, iterates over all of it, which takes less for each edge. As for HostRanks, what can
  /// be pushed at little cost comes first.
  void settle(const Graph& now, Frontier frontier) {
    pushed_vertices = 0;
    EdgeId pushed = 0;
    for (const std::uint32_t degree : {kFewEdges, kAnyEdges})
      if (!push_all(now, degree, pushed, frontier)) return iterate_on(now);
  }
  /// Pushes until no vertex of so few edges is in the frontier.
  /// @return false once too many edges have been pushed along
  bool push_all(const Graph& now, std::uint32_t degree, EdgeId& pushed, Frontier& frontier) {
    const VertexId n = now.vertices();
    Frontier later(ctx(), n);
    for (;;) {
      if (degree != kAnyEdges) {
        Frontier cheap(ctx(), n);
        filter(ctx(), frontier, cheap, [&](const Device&) { return HasFewEdges{list, degree}; });
        frontier.subtract(cheap);
        later.unite(frontier);
        frontier = std::move(cheap);
      }
      if (frontier.empty()) break;
      pushed += reduce(
          ctx(), n, EdgeId{0},
          [&](const Device& d) {
            return FrontierEdges{frontier.on(d).bits, list};
          },
          MergeSum{});
      if (pushed > now.edges() / kMostPushed) return false;
      pushed_vertices += frontier.size();
      compute(ctx(), frontier, [&](const Device&) {
        return TakeResidual{list, options.alpha, q.data(), residual.data(), share.data()};
      });
      Frontier lacking(ctx(), n);
      advance(
          ctx(), now.out(), frontier, &lacking, [&](const Device&) { return give(); }, Emit::Often);
      frontier = std::move(lacking);
      ctx().task().check();
    }
    frontier = std::move(later);
    return true;
  }
};

}  // namespace

std::unique_ptr<FollowingRanks> ranks_by_operators(const DynamicGraph& g,
                                                   const IncrementalPagerankOptions& options) {
  return std::make_unique<OperatorRanks>(g, options);
}

}  // namespace fathom::dynamic
