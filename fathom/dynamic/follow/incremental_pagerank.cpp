#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "fathom/algorithms/pagerank/pagerank.hpp"
#include "fathom/algorithms/pagerank/relaxation.hpp"
#include "fathom/core/atomic.hpp"
#include "fathom/core/parallel.hpp"
#include "fathom/dynamic/follow/incremental_parts.hpp"

namespace fathom {
namespace {

constexpr std::size_t kListsAtOnce = 64;
constexpr std::size_t kVerticesAtOnce = 4096;
constexpr std::size_t kSweptAtOnce = 1024;
// Edges of vertices whose residual is pushed before that of others, and of these.
constexpr std::uint32_t kFewEdges = 8, kAnyEdges = ~std::uint32_t{0};
// Iterations are done to no smaller tolerance where sweeps can go on: what rounding changes from
// one to the next is about as much, and sweeps come to rest.
constexpr double kIterated = 1e-12;
// A push takes several times as long for an edge as a sweep (R-MAT 18, two threads).
constexpr std::uint64_t kPushedShare = 4;

/// Invariant: residual = 1 + alpha P'q - q, where row v of P is 1 / degree for each edge of v, and
/// 0 without edges; but for rounding, and for what the last sweeps left, which `residual` leaves
/// out. The ranks are q / sum(q): the walk's jumps from everywhere, and those from vertices without
/// edges, add the same to each vertex.
struct HostRanks final : dynamic::FollowingRanks {
  HostRanks(const DynamicGraph& g, const IncrementalPagerankOptions& wanted)
      : FollowingRanks(g),
        options(wanted),
        q(most(), pool()),
        residual(most(), pool()),
        waits(most(), pool()),
        shares(graph->options.directed && !graph->in ? 0 : most(), pool()),
        next(static_cast<std::size_t>(graph->threads())) {}

  /// Ranks that lack no more than sweeps leave.
  void start(const Graph& now) override {
    grow();
    PagerankOptions all;
    all.alpha = options.alpha;
    const double tolerance = options.tolerance / 2;
    all.tolerance = can_sweep() ? std::max(tolerance, kIterated) : tolerance;
    all.max_iterations = dynamic::kMostSweeps;
    const PagerankResult found = pagerank(*graph->ctx, now, all);
    const DynamicEdges out = graph->out.view();
    const double dangling = reduce([&](std::size_t v) {
                              return Swept{0, 0, out.degree(v) == 0 ? found.rank[v] : 0};
                            }).dangling;
    const double scale = static_cast<double>(known) / (1 - options.alpha * (1 - dangling));
    sum = reduce([&](std::size_t v) {
            q[v] = found.rank[v] * scale;
            residual[v] = 0;
            waits[v] = 0;
            return Swept{0, q[v], 0};
          }).sum;
    collect();  // what a batch left that could not be followed, which the next one forgets
    frontier.clear();
    pushed_vertices = std::uint64_t{known} * found.iterations;
    if (tolerance < all.tolerance) return sweep_all();
    renew_enough();
    left_out.begin(sum, enough);
  }
  void repair(const AppliedBatch& batch) override {
    const std::size_t changed = batch.changed_edges();
    if (too_large.holds(changed)) return compute_anew([&] { start(dynamic::graph_of(graph)); });
    too_large.repaired(changed, dynamic::wall_seconds([&] { follow_batch(batch); }));
  }
  void follow_batch(const AppliedBatch& batch) {
    grow();
    follow_lists(batch);
    collect();
    settle();
    renew_enough();
    if (!left_out.too_much(sum, enough)) return;
    if (can_sweep())
      sweep_all();
    else
      start(dynamic::graph_of(graph));
  }
  std::vector<double> ranks() const override {
    std::vector<double> rank(known);
    double total = 0;
    for (VertexId v = 0; v < known; ++v) total += q[v];
    parallel_for(threads(), known, kVerticesAtOnce, [&](std::size_t a, std::size_t b, int) {
      for (std::size_t v = a; v < b; ++v) rank[v] = q[v] / total;
    });
    return rank;
  }
  std::uint64_t pushes() const override { return pushed_vertices; }

  struct Swept {
    double change = 0;             // of q (L1)
    double sum = 0, dangling = 0;  // of q; of vertices without edges
    friend Swept operator+(const Swept& a, const Swept& b) {
      return {a.change + b.change, a.sum + b.sum, a.dangling + b.dangling};
    }
  };

  IncrementalPagerankOptions options;
  dynamic::ReservedArray<double> q, residual;
  dynamic::ReservedArray<std::uint32_t> waits;  // 1: in the frontier
  dynamic::ReservedArray<double> shares;        // what each edge of a vertex gives, during sweeps
  VertexId known = 0;                           // vertices
  double sum = 0;                               // of q
  double enough = 0;                            // a residual that may stay
  dynamic::LeftOut left_out;
  std::vector<VertexId> frontier;
  std::vector<std::vector<VertexId>> next;  // [worker]
  std::uint64_t pushed_vertices = 0;

  int threads() const { return graph->threads(); }

  /// A vertex that comes has no edges that are known of: its q is 1.
  void grow() {
    const VertexId now = vertices();
    q.grow_to(now);
    residual.grow_to(now);
    waits.grow_to(now);
    for (; known < now; ++known) {
      q[known] = 1;
      residual[known] = 0;
      sum += 1;
    }
    renew_enough();
  }
  void renew_enough() {
    enough = dynamic::residual_to_keep(options, sum, known);
    left_out.may_keep(enough);
  }
  bool can_sweep() const { return !graph->options.directed || graph->in.has_value(); }

  double share(double amount, std::uint32_t degree) const {
    return options.alpha * amount / degree;
  }

  /// Adds to the residual of w, which joins the frontier when that becomes too much.
  void add(VertexId w, double amount, int worker) {
    const double now = AtomicRef(residual[w]).fetch_add(amount, Order::AcqRel) + amount;
    if (std::abs(now) > enough && AtomicRef(waits[w]).fetch_or(1, Order::AcqRel) == 0)
      next[static_cast<std::size_t>(worker)].push_back(w);
  }
  void give(VertexId v, double amount, int worker) {
    dynamic::each_target(out(), v, [&](VertexId w) { add(w, amount, worker); });
  }

  /// The lists that a batch changed give to their targets what they now have to.
  void follow_lists(const AppliedBatch& batch) {
    std::vector<double> gained(next.size(), 0);
    parallel_for(threads(), batch.lists().size(), kListsAtOnce,
                 [&](std::size_t a, std::size_t b, int worker) {
                   double gain = 0;
                   for (const ChangedList& its : batch.lists().subspan(a, b - a)) {
                     if (is_of_new_component(batch, its)) gain += raise(its.source, worker);
                     follow_list(batch, its, worker);
                   }
                   gained[static_cast<std::size_t>(worker)] += gain;
                 });
    for (const double g : gained) sum += g;
  }
  /// Whether a vertex without edges is tied to others that had none, as far as it sees. Sweeps take
  /// a long time to bring such components to the ranks that they have in an undirected graph.
  bool is_of_new_component(const AppliedBatch& batch, const ChangedList& list) const {
    if (graph->options.directed || list.before != 0 || list.after == 0) return false;
    const std::span<const ChangedList> lists = batch.lists();
    return std::ranges::all_of(edges_of(batch, list), [&](const ChangedEdge& e) {
      const auto its = std::ranges::lower_bound(lists, e.target, {}, &ChangedList::source);
      return its != lists.end() && its->source == e.target && its->before == 0;
    });
  }
  /// Gives v, whose list has given nothing yet, the q of a component whose lists are all as long.
  double raise(VertexId v, int worker) {
    const double by = 1 / (1 - options.alpha) - q[v];
    q[v] += by;
    add(v, -by, worker);
    return by;
  }
  void follow_list(const AppliedBatch& batch, const ChangedList& list, int worker) {
    const double mine = q[list.source];
    const double had = list.before == 0 ? 0 : share(mine, list.before);
    const double has = list.after == 0 ? 0 : share(mine, list.after);
    if (had != has) give(list.source, has - had, worker);
    // As if all edges of now had been there before, which is put right here.
    for (const ChangedEdge& e : edges_of(batch, list))
      add(e.target, had * (static_cast<double>(e.after) - e.before), worker);
  }
  static std::span<const ChangedEdge> edges_of(const AppliedBatch& batch, const ChangedList& list) {
    return batch.edges().subspan(list.first, list.last - list.first);
  }

  void collect() {
    frontier.clear();
    for (std::vector<VertexId>& part : next) {
      frontier.insert(frontier.end(), part.begin(), part.end());
      part.clear();
    }
  }

  /// Pushes, which touches nothing but what has a residual, or, when that is more than a part of
  /// the graph, sweeps over all of it, which takes less for each edge. What can be pushed at little
  /// cost comes first: so small components, which take many sweeps, have settled before any.
  void settle() {
    pushed_vertices = 0;
    const std::uint64_t most = can_sweep() ? graph->out.edges() / kPushedShare : ~std::uint64_t{0};
    std::uint64_t pushed = 0;  // edges
    for (const std::uint32_t degree : {kFewEdges, kAnyEdges})
      if (!push_all(degree, most, pushed)) return sweep_all();
  }
  /// Pushes until no vertex of so few edges is in the frontier.
  /// @return false once so many edges have been pushed along
  bool push_all(std::uint32_t degree, std::uint64_t most, std::uint64_t& pushed) {
    const DynamicEdges out = graph->out.view();
    std::vector<VertexId> later;
    for (;;) {
      const auto costly = std::partition(frontier.begin(), frontier.end(),
                                         [&](VertexId v) { return out.degree(v) <= degree; });
      later.insert(later.end(), costly, frontier.end());
      frontier.erase(costly, frontier.end());
      if (frontier.empty()) break;
      for (const VertexId v : frontier) pushed += out.degree(v);
      if (pushed > most) return false;
      pushed_vertices += frontier.size();
      push_frontier();
      graph->ctx->task().check();
    }
    frontier = std::move(later);
    return true;
  }
  void push_frontier() {
    const DynamicEdges out = graph->out.view();
    std::vector<double> gained(next.size(), 0);
    parallel_for(threads(), frontier.size(), kListsAtOnce,
                 [&](std::size_t a, std::size_t b, int worker) {
                   double gain = 0;
                   for (std::size_t i = a; i < b; ++i) gain += push(out, frontier[i], worker);
                   gained[static_cast<std::size_t>(worker)] += gain;
                 });
    for (const double g : gained) sum += g;
    collect();
  }

  /// In place, and further than that where the system is symmetric.
  void sweep_all() {
    shares.grow_to(known);
    const DynamicEdges out = graph->out.view();
    const auto share_of = [&](std::size_t v) {
      return out.degree(v) == 0 ? 0 : share(q[v], out.degree(v));
    };
    Swept swept = reduce([&](std::size_t v) {
      shares[v] = share_of(v);
      residual[v] = 0;
      waits[v] = 0;
      return Swept{0, q[v], out.degree(v) == 0 ? q[v] : 0};
    });
    frontier.clear();
    const auto jump = [&] {
      return dynamic::jump_of_sweep(options, swept.sum, swept.dangling, known);
    };
    Relaxation relaxation = graph->options.directed ? Relaxation() : Relaxation(options.alpha);
    std::uint32_t sweeps = 0;
    bool settled = false;
    do {
      const double from = jump(), further = relaxation.further();
      swept = reduce([&, lists = in()](std::size_t v) {
        double now = from;
        dynamic::each_target(lists, static_cast<VertexId>(v),
                             [&](VertexId u) { now += AtomicRef(shares[u]).load(); });
        const double change = now - q[v];
        if (further > 0) now = std::max(now + further * change, from);
        q[v] = now;
        AtomicRef(shares[v]).store(share_of(v));
        return Swept{std::abs(change), now, out.degree(v) == 0 ? now : 0};
      });
      pushed_vertices += known;
      graph->ctx->task().check();
      settled = swept.change * relaxation.counted() <= dynamic::change_to_keep(options) * swept.sum;
      relaxation.swept(swept.change / swept.sum);
    } while (!settled && ++sweeps < dynamic::kMostSweeps);
    const double scale = 1 / jump();
    sum = reduce([&](std::size_t v) { return Swept{0, q[v] *= scale, 0}; }).sum;
    renew_enough();
    left_out.begin(sum, enough);
  }
  /// The sum of what `item` gives for each vertex.
  template <class Item>
  Swept reduce(const Item& item) {
    return parallel_reduce(
        threads(), known, kSweptAtOnce, Swept{},
        [&](std::size_t a, std::size_t b) {
          Swept part;
          for (std::size_t v = a; v < b; ++v) part = part + item(v);
          return part;
        },
        std::plus<>());
  }

  double push(const DynamicEdges& out, VertexId v, int worker) {
    AtomicRef(waits[v]).fetch_and(0, Order::AcqRel);  // what comes from now on counts anew
    double amount = AtomicRef(residual[v]).load(Order::Acquire);
    while (!AtomicRef(residual[v]).compare_exchange(amount, 0.0)) {
    }
    q[v] += amount;
    if (out.degree(v) != 0) give(v, share(amount, out.degree(v)), worker);
    return amount;
  }
};

}  // namespace

IncrementalPagerank::IncrementalPagerank(const DynamicGraph& graph,
                                         const IncrementalPagerankOptions& options) {
  if (!(options.alpha >= 0 && options.alpha < 1) || !(options.tolerance > 0))
    throw Error(ErrorCode::Usage,
                "ranks that follow a graph have an alpha in [0, 1) and a tolerance above 0");
  if (dynamic::by_operators(graph, options.by))
    its_ = dynamic::ranks_by_operators(graph, options);
  else
    its_ = std::make_unique<HostRanks>(graph, options);
  its_->begin(graph.graph());
}
IncrementalPagerank::IncrementalPagerank(IncrementalPagerank&&) noexcept = default;
IncrementalPagerank& IncrementalPagerank::operator=(IncrementalPagerank&&) noexcept = default;
IncrementalPagerank::~IncrementalPagerank() = default;

void IncrementalPagerank::update(const AppliedBatch& batch) {
  its_->follow(batch);
}

std::vector<double> IncrementalPagerank::ranks() const {
  return dynamic::whole(its_).ranks();
}
std::uint64_t IncrementalPagerank::pushes() const {
  return dynamic::whole(its_).pushes();
}

}  // namespace fathom
