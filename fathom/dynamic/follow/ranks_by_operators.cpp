#include <algorithm>

#include "fathom/algorithms/pagerank/pagerank.hpp"
#include "fathom/dynamic/follow/incremental_parts.hpp"
#include "fathom/dynamic/follow/level_repair.hpp"
#include "fathom/dynamic/follow/rank_functors.hpp"
#include "fathom/ops/advance.hpp"
#include "fathom/ops/compute.hpp"
#include "fathom/ops/gather.hpp"

namespace fathom::dynamic {
namespace {

// Edges that are pushed before sweeps follow instead, as a part of all; and supersteps: so many,
// and one more for as many edges as could be swept over meanwhile.
constexpr EdgeId kMostPushed = 2;
constexpr EdgeId kPushSteps = 16, kEdgesOfAStep = EdgeId{1} << 17;

/// As HostRanks has them. A superstep takes all that the frontier lacks before anything is given,
/// so that nobody's residual changes while it is taken.
struct OperatorRanks final : FollowingRanks {
  OperatorRanks(const DynamicGraph& g, const IncrementalPagerankOptions& wanted)
      : FollowingRanks(g),
        options(wanted),
        q(*graph->ctx),
        residual(*graph->ctx),
        share(*graph->ctx) {
    too_large.doubt_first();
  }

  void start(const Graph& now) override {
    lists = graph->view(false);
    pushed_vertices = 0;
    iterate(now, options.tolerance, {});
    has_residuals = false;
  }
  void repair(const AppliedBatch& batch) override {
    const Graph now = graph_of(graph);
    lists = graph->view(false);
    grow(now.vertices());
    if (is_large(batch)) return iterate_on(now);
    const EdgeId changed = batch.changed_edges();
    if (too_large.holds(changed)) return compute_anew([&] { start(now); });
    if (!has_residuals) return find_residuals(now);
    repair_in_time(changed, [&] {
      settle(now, follow_lists(now, batch));
      renew_enough();
      if (left_out.too_much(sum, enough)) iterate_on(now);
      return true;
    });
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
  DynamicEdges lists;  // of the graph as it is
  double sum = 0;      // of q, when it was last added up
  double enough = 0;   // a residual that may stay
  LeftOut left_out;
  bool has_residuals = false;  // else q alone, of the last batch, means something
  std::uint64_t pushed_vertices = 0;

  const Context& ctx() const { return *graph->ctx; }
  Residuals residuals() { return {residual.data(), enough}; }
  GiveShare give() { return {residuals(), share.data()}; }

  /// A vertex that comes has no edges that are known of: its q is 1.
  void grow(VertexId vertices) {
    const auto come = static_cast<double>(vertices - q.size());
    q.grow_to(vertices, 1);
    residual.grow_to(vertices, 0);
    share.grow_to(vertices, 0);
    renew_enough(sum + come);
  }
  void renew_enough() {
    renew_enough(reduce(
        ctx(), q.size(), 0.0, [&](const Device&) { return ValueOf{q.data()}; }, MergeSum{}));
  }
  void renew_enough(double now) {
    sum = now;
    enough = residual_to_keep(options, sum, q.size());
    left_out.may_keep(enough);
  }

  /// What q lacks in the graph as it is, which makes up for what has changed since. Batches that
  /// are computed do without: it reads all edges, and settles what rounding left.
  void find_residuals(const Graph& now) {
    compute(ctx(), now.vertices(), [&](const Device&) {
      return BeginResiduals{lists, options.alpha, q.data(), residual.data(), share.data()};
    });
    has_residuals = true;
    Frontier all(ctx(), now.vertices()), lacking(ctx(), now.vertices());
    all.fill();
    advance(ctx(), now.out(), all, nullptr, [&](const Device&) { return give(); });
    filter(ctx(), all, lacking, [&](const Device&) { return IsLacking{residuals()}; });
    settle(now, std::move(lacking));
    renew_enough();
    left_out.begin(sum, enough);
  }

  /// q by iterations, from ranks that are known or from nothing.
  void iterate(const Graph& now, double tolerance, std::span<const double> from) {
    const VertexId n = now.vertices();
    PagerankOptions more;
    more.alpha = options.alpha;
    more.tolerance = tolerance;
    more.max_iterations = kMostSweeps;
    more.start = from;
    const PagerankResult found = pagerank(ctx(), now, more);
    q.assign(found.rank.data(), n);
    residual.grow_to(n, 0);
    share.grow_to(n, 0);
    const double dangling = reduce(
        ctx(), n, 0.0,
        [&](const Device&) {
          return DanglingRank{lists, q.data()};
        },
        MergeSum{});
    const double scale = static_cast<double>(n) / (1 - options.alpha * (1 - dangling));
    compute(ctx(), n, [&](const Device&) { return ScaleRank{q.data(), scale}; });
    renew_enough();
    left_out.begin(sum, enough);
    pushed_vertices += std::uint64_t{n} * found.iterations;
  }
  /// Ranks from those of now that lack no more than may stay. In place, as the sweeps of HostRanks;
  /// without in-edges, by a computation that begins with them.
  void iterate_on(const Graph& now) {
    pushed_vertices = 0;
    has_residuals = true;
    if (now.has_in()) return sweep_all(now);
    iterate(now, change_to_keep(options), ranks());
    residual.fill(residual.size(), 0);
  }
  void sweep_all(const Graph& now) {
    const VertexId n = now.vertices();
    const BeginSweep first{lists, options.alpha, q.data(), residual.data(), share.data()};
    RankTally swept = compute_reduce(
        ctx(), n, RankTally{}, [&](const Device&) { return first; }, MergeSum{});
    const auto jump = [&] { return jump_of_sweep(options, swept.mass, swept.dangling, n); };
    Frontier all(ctx(), n);
    all.fill();
    now.in().prepare(ctx(), {});
    std::uint32_t sweeps = 0;
    do {
      const double from = jump();
      swept = gather(ctx(), now.in(), all, nullptr, [&](const Device&) {
        return SweepRank{first, from};
      });
      pushed_vertices += n;
      ctx().task().check();
    } while (++sweeps < kMostSweeps && swept.change > change_to_keep(options) * swept.mass);
    const double scale = 1 / jump();
    compute(ctx(), n, [&](const Device&) { return ScaleRank{q.data(), scale}; });
    renew_enough(swept.mass * scale);
    left_out.begin(sum, enough);
  }

  /// The lists that a batch changed give to their targets what they now have to.
  Frontier follow_lists(const Graph& now, const AppliedBatch& batch) {
    const ChangesRef changes = batch.in_place();
    Frontier sources(ctx(), now.vertices()), lacking(ctx(), now.vertices()),
        more(ctx(), now.vertices());
    sources.begin_bitmap();
    compute(ctx(), changes.lists, [&](const Device& d) {
      return ShareOfList{changes.list, q.data(), options.alpha, share.data(), sources.bits(d)};
    });
    sources.end_bitmap();
    advance(
        ctx(), now.out(), sources, &lacking, [&](const Device&) { return give(); }, Emit::Often);
    more.begin_bitmap();
    compute(ctx(), changes.edges, [&](const Device& d) {
      return MoveShare{changes, q.data(), options.alpha, residuals(), more.bits(d)};
    });
    more.end_bitmap();
    lacking.unite(more);
    return lacking;
  }

  /// Pushes, which touches nothing but what has a residual, or, when that is more than a part of
  /// the graph or takes many supersteps, sweeps over all of it, which takes less for each edge.
  void settle(const Graph& now, Frontier frontier) {
    pushed_vertices = 0;
    EdgeId pushed = 0;
    const EdgeId most_steps = kPushSteps + now.edges() / kEdgesOfAStep;
    for (EdgeId step = 0; !frontier.empty(); ++step) {
      frontier.make_bitmap();
      pushed += edges_of(frontier);
      if (step == most_steps || pushed > now.edges() / kMostPushed) return iterate_on(now);
      pushed_vertices += frontier.size();
      compute(ctx(), frontier, [&](const Device&) {
        return TakeResidual{lists, options.alpha, q.data(), residual.data(), share.data()};
      });
      Frontier lacking(ctx(), now.vertices());
      advance(
          ctx(), now.out(), frontier, &lacking, [&](const Device&) { return give(); }, Emit::Often);
      frontier = std::move(lacking);
      ctx().task().check();
    }
  }
  EdgeId edges_of(const Frontier& frontier) {
    return reduce(
        ctx(), frontier.universe(), EdgeId{0},
        [&](const Device& d) {
          return FrontierEdges{frontier.on(d).bits, lists};
        },
        MergeSum{});
  }
};

}  // namespace

std::unique_ptr<FollowingRanks> ranks_by_operators(const DynamicGraph& g,
                                                   const IncrementalPagerankOptions& options) {
  return std::make_unique<OperatorRanks>(g, options);
}

}  // namespace fathom::dynamic
