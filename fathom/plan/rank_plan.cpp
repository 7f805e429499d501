#include "fathom/plan/rank_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "fathom/algorithms/bfs/rank_levels.hpp"
#include "fathom/algorithms/components/parts.hpp"
#include "fathom/algorithms/described/planned.hpp"
#include "fathom/algorithms/pagerank/rank_pieces.hpp"
#include "fathom/algorithms/pagerank/walk.hpp"
#include "fathom/core/error.hpp"
#include "fathom/plan/plan_sizes.hpp"
#include "fathom/residency/rank_share.hpp"

namespace fathom::plan {
namespace {

// What a superstep of delta-stepping and of peeling comes to, of the graphs that were tried (R-MAT
// 14 and 18, uniform 16, a grid of 400 x 300; weights 1 to 255): vertices lowered for each that is
// reached, vertices that lose neighbours for each edge, and supersteps.
constexpr double kLowered = 1.9, kLoweredOfGrid = 1.3;
constexpr double kLosses = .2;
constexpr double kWindows = 75, kWindowsOfGrid = 6.5;  // the latter times the root of the vertices
constexpr double kRoundsAt14 = 300, kRoundsUniform = 60;

/// What a superstep finds.
struct Found {
  double vertices = 0;
  bool pulled = false;
};

/// Whether ranks see whole lists, each of a range of vertices: EdgeSource::own_lists().
bool own_lists(const Machine& machine, ResidencyOptions::Kind residency) {
  return machine.executor == Machine::Executor::Host && residency != ResidencyOptions::Kind::Stream;
}

/// Bytes that a rank sends, on average. Counts of vertices are not whole where they are modelled.
class Exchanges {
 public:
  Exchanges(int ranks, std::uint64_t vertices, std::uint64_t id_bytes)
      : ranks_(ranks), vertices_(vertices), id_(static_cast<double>(id_bytes)) {}

  /// ReplicaGroup::all_reduce() of whole arrays, and of so many elements.
  double reduce(double count, double bytes) const {
    return std::floor(2 * std::floor(count) * bytes * others() / ranks_);
  }
  double reduce_all(double bytes) const { return reduce(static_cast<double>(vertices_), bytes); }
  /// ReplicaGroup::all_gather() of so many bytes of each rank.
  double gather(double bytes) const { return bytes * others(); }
  /// The same of bytes that are not as many on each, whose sizes are told first: of so many of all.
  double gather_all(double bytes) const {
    return gather(sizeof(std::uint64_t)) + gather(bytes / ranks_);
  }
  /// VertexArray::share() by a rank with so many vertices of its own.
  double share(double own, double bytes) const {
    return gather(sizeof(std::uint64_t)) + gather(own * bytes);
  }
  /// VertexArray::merge() by a rule that is the algorithm's own: up a tree, and from its root.
  double join(double bytes) const { return bytes * static_cast<double>(vertices_); }
  /// What gather() adds up of commits that tally nothing.
  double no_tally() const { return gather(1); }
  /// Frontier::end_bitmap() and end_list(), by the rule of Frontier::few_enough().
  double frontier(double found) const {
    const double words = std::ceil(static_cast<double>(vertices_) / 64);
    if (found * id_ > 2 * words * 8) return gather(sizeof(std::uint64_t)) + reduce(words, 8);
    return gather_all(found * id_);
  }

 private:
  double others() const { return ranks_ - 1; }
  double ranks_;
  std::uint64_t vertices_;
  double id_;
};

/// Levels of a search through so many vertices, from a hub.
std::vector<Found> levels_of(Likeness likeness, double reached, double degree) {
  std::vector<Found> levels;
  if (likeness == Likeness::Grid) {  // a square's, from its corner
    const double count = std::max(1., std::round(2 * std::sqrt(reached)));
    levels.assign(static_cast<std::size_t>(count), {reached / count, false});
  } else if (likeness == Likeness::Rmat) {  // of scales 16 and 18
    levels = {{.15 * reached, false}, {.8 * reached, true}, {.05 * reached, false}};
  } else {  // of those not yet found, the share that so many random edges hit
    double now = 1, left = reached - 1;
    while (left >= 1 && levels.size() < 64) {
      const double next = left * -std::expm1(-now * std::max(degree, 1.1) / reached);
      levels.push_back({next, next > reached / 18});
      left -= next;
      now = next;
    }
  }
  levels.push_back({});
  return levels;
}

class SentByRank {
 public:
  SentByRank(const PlanRequest& request, const Plan& plan, const RankShares& shares,
             const Range* supersteps, const Pilot* pilot)
      : request_(request),
        shape_(request.shape),
        work_(plan.work),
        options_(request.options ? *request.options
                                 : OptionValues(find_planned(plan.work.algorithm)->options)),
        exchanges_(request.machine.ranks, request.shape.vertices, request.shape.vertex_bytes()),
        ranks_(request.machine.ranks),
        own_{static_cast<double>(shares.fewest_vertices),
             static_cast<double>(shares.most_vertices)},
        owns_(own_lists(request.machine, plan.residency)),
        supersteps_(supersteps ? *supersteps : plan.work.supersteps),
        pilot_(pilot) {}

  void fill(RankPlan& plan) const {
    if (shape_.vertices == 0) return tell(plan, 0, 0, "of no vertices nothing is sent");
    if (work_.algorithm == "pagerank") return pagerank(plan);
    if (work_.algorithm == "cc") return components(plan);
    const bool modelled =
        work_.algorithm == "bfs" || work_.algorithm == "sssp" || work_.algorithm == "kcore";
    if (!modelled) {
      plan.basis = fmt::format("no model tells what {} exchanges", work_.algorithm);
      return;
    }
    const bool searched = work_.algorithm == "bfs" && pilot_ && !pilot_->levels.empty();
    if (!searched && !shape_.likeness) {
      plan.basis = "it depends on the levels of the graph, and none are known of what it is like";
      return;
    }
    if (work_.algorithm == "bfs") return search(plan, searched);
    work_.algorithm == "sssp" ? shortest_paths(plan) : cores(plan);
  }

 private:
  static void tell(RankPlan& plan, double bytes, double supersteps, std::string basis) {
    tell(plan, {bytes, bytes}, supersteps, std::move(basis));
  }
  static void tell(RankPlan& plan, Range bytes, double supersteps, std::string basis) {
    plan.sent = Range{std::round(bytes.low), std::round(bytes.high)};
    plan.supersteps = {supersteps, supersteps};
    plan.basis = std::move(basis);
  }
  double vertices() const { return static_cast<double>(shape_.vertices); }
  double edges() const { return static_cast<double>(shape_.edges); }
  double id_bytes() const { return static_cast<double>(shape_.vertex_bytes()); }
  double with_edges() const { return shape_.shares ? shape_.shares->with_edges : 1; }
  double reached() const { return std::max(1., vertices() * with_edges()); }
  std::string alike() const {
    return fmt::format("as of graphs like {}", name_of(*shape_.likeness));
  }

  /// What vertices give or have received, once an iteration: a rank's own, where it sees their
  /// lists whole, and then in place if that keeps the sum.
  void pagerank(RankPlan& plan) const {
    constexpr double kTally = 3 * sizeof(double);
    const bool own = owns_ && shape_.has_in;
    const bool in_place = own && !options_.flag("no-in-place") && options_.real("alpha") < 1;
    const double nodes = options_.mode("compat") == "networkx" ? vertices() : 1;
    const double share = options_.real("tol") * nodes >= kFloatShareTolerance ? 4 : 8;
    double first = work_.weights ? exchanges_.no_tally() + exchanges_.reduce_all(8) : 0;
    if (in_place && supersteps_.high > 0) {  // where pieces begin
      const auto pieces = pieces_of_ranks(shape_.vertices, request_.machine.ranks);
      first += exchanges_.gather(static_cast<double>(pieces + 1) * id_bytes());
    }
    const auto bytes = [&](double iterations, double vertices) {
      const double told = exchanges_.share(vertices, 8);
      if (in_place) return iterations * exchanges_.gather(kTally + vertices * share) + told;
      return iterations * ((shape_.has_in ? exchanges_.no_tally() : 0) +
                           (own ? told : exchanges_.reduce_all(8)));
    };
    plan.supersteps = supersteps_;
    plan.sent = Range{std::round(first + bytes(supersteps_.low, own_.low)),
                      std::round(first + bytes(supersteps_.high, own_.high))};
    plan.basis = "exact for that many iterations";
  }

  /// Vertices that ranks hook in all, ids and neighbours being random, and before they link all.
  Range hooked(bool sample) const {
    const double with = with_edges(), lowest = shape_.shares ? shape_.shares->lowest : with / 2;
    const bool in_order = shape_.likeness == Likeness::Grid;  // ids by rows: all hook their first
    // Vertices of a directed graph that have edges in alone.
    const double ends = shape_.directed ? with * (1 - with) : 0;
    if (sample) return {in_order ? 0 : vertices() * (lowest + ends), vertices() * (lowest + ends)};
    // Each rank hooks what its own edges touch.
    const double all = vertices() * (with + ends + (ranks_ - 1) * touched());
    return {in_order ? vertices() * with : all, all};
  }

  void components(RankPlan& plan) const {
    const bool sample = !options_.flag("no-sampling");
    const bool host = request_.machine.executor == Machine::Executor::Host;
    if (host && owns_)
      linked_by_rank(plan, sample && !shape_.directed);
    else
      linked_together(plan, sample, host);
  }

  /// Each by itself (components/rank_forests.hpp): labels of own vertices at the end, and once more
  /// if they are sampled; roots of others' trees, which then are roots of first neighbours.
  void linked_by_rank(RankPlan& plan, bool sample) const {
    const bool in_order = shape_.likeness == Likeness::Grid;  // ids by rows: ranks meet at borders
    const double pair = 2 * id_bytes();
    const double linked = sample ? hooked(true).high : touched() * vertices();
    const double pairs = linked * pair * (ranks_ - 1) / ranks_;
    const bool trees = sample && shape_.edges >= kFewEdgesToSample * shape_.vertices;
    const double always = exchanges_.gather(pair) + exchanges_.gather(trees ? sizeof(double) : 0) +
                          exchanges_.gather(id_bytes() + ranks_ * sizeof(std::uint64_t)) +
                          exchanges_.gather_all(0) + exchanges_.gather(2 * sizeof(std::uint64_t));
    const auto bytes = [&](double own, double told) {
      return always + (sample ? 2 : 1) * exchanges_.share(own, id_bytes()) + told;
    };
    // A rank of low ids has most roots, and is told by the others of some.
    tell(plan,
         {bytes(own_.low, in_order || sample ? 0 : pairs), bytes(own_.high, in_order ? 0 : pairs)},
         1, "labels of own vertices, and an estimate of trees from degrees");
  }
  /// Of a rank's lists: the share of vertices that they have, of those with edges.
  double touched() const {
    const double with = with_edges();
    const double ends = shape_.directed ? with * (1 - with) : 0;  // that have edges in alone
    const double degree = with > 0 ? edges() / vertices() / with : 0;
    return (with + ends) * (1 - std::pow(1 - 1. / ranks_, degree));
  }

  /// What was linked is told by its hooks; where ranks have devices and hooked many, whole trees
  /// are joined. So are those of first neighbours.
  void linked_together(RankPlan& plan, bool sample, bool host) const {
    const bool roots = sample && shape_.edges >= kFewEdgesToSample * shape_.vertices;
    const double links = 1 + (roots ? 1 : 0) + (sample && shape_.separate_in() ? 1 : 0);
    const double tree = exchanges_.join(id_bytes());
    const auto bytes = [&](double hooked) {
      const bool listed = host || hooked / ranks_ <= vertices() / kVerticesPerHook;
      const double told =
          exchanges_.gather_all(listed ? 2 * id_bytes() * hooked : 0) + (listed ? 0 : tree);
      return told + (links - 1) * exchanges_.gather_all(0) + (sample ? tree : 0);
    };
    const Range hooks = hooked(sample);
    tell(plan, {bytes(hooks.low), bytes(hooks.high)}, sample ? 2 : 1,
         "trees, and an estimate of hooks from degrees");
  }

  void search(RankPlan& plan, bool searched) const {
    std::vector<Found> levels;
    if (searched) {
      for (std::size_t i = 1; i < pilot_->levels.size(); ++i)
        levels.push_back({pilot_->levels[i].vertices, pilot_->levels[i - 1].pulled});
      levels.push_back({0, pilot_->levels.back().pulled});
    } else {
      levels = levels_of(*shape_.likeness, reached(), edges() / vertices());
    }
    if (options_.mode("direction") == "auto" && by_rank(plan)) return;
    const bool parents = options_.flag("parents");
    double bytes = 0;
    for (const Found& level : levels)
      bytes += exchanges_.frontier(level.vertices) + (level.pulled ? exchanges_.no_tally() : 0);
    if (parents) bytes += exchanges_.reduce_all(id_bytes());
    tell(plan, bytes, static_cast<double>(levels.size()),
         searched ? "as the pilot's levels were" : "levels " + alike());
  }

  /// Whether ranks search by themselves, and nothing can be told.
  bool by_rank(RankPlan& plan) const {
    const bool its = owns_ && edges() / vertices() <= static_cast<double>(detail::kMostEdgesOfLong);
    if (its)
      plan.basis =
          "ranks tell each other what crosses between their vertices, which nobody has counted";
    return its;
  }

  void shortest_paths(RankPlan& plan) const {
    if (by_rank(plan)) return;
    const bool grid = *shape_.likeness == Likeness::Grid;
    const double windows = std::ceil(grid ? kWindowsOfGrid * std::sqrt(reached()) : kWindows);
    const double lowered = (grid ? kLoweredOfGrid : kLowered) * reached() / windows;
    const double key = options_.mode("precision") == "double" ? 8 : 4;
    const double once =
        exchanges_.reduce(1, 4) + (shape_.weighted ? 2 * exchanges_.reduce(1, 8) : 0);
    tell(plan, once + windows * (exchanges_.frontier(lowered) + exchanges_.reduce(lowered, key)),
         windows, "windows " + alike());
  }

  void cores(RankPlan& plan) const {
    const double lists = shape_.separate_in() ? 2 : 1;
    double rounds = kRoundsUniform;
    if (*shape_.likeness == Likeness::Grid)
      rounds = std::sqrt(vertices());
    else if (*shape_.likeness == Likeness::Rmat)
      rounds = kRoundsAt14 * std::pow(vertices() / (1 << 14), .25);
    rounds = std::ceil(rounds);
    const double touched = kLosses * edges() * lists / rounds;
    const double each =
        lists * exchanges_.frontier(touched / lists) + exchanges_.reduce(touched, 4);
    tell(plan, lists * exchanges_.no_tally() + exchanges_.reduce_all(4) + rounds * each, rounds,
         "rounds " + alike());
  }

  const PlanRequest& request_;
  const GraphShape& shape_;
  const Workload& work_;
  OptionValues options_;
  Exchanges exchanges_;
  double ranks_;
  Range own_;  // vertices whose lists a rank shows
  bool owns_;
  Range supersteps_;
  const Pilot* pilot_;
};

}  // namespace

bool reaches_all(const PlanRequest& request) {
  const Algorithm* const algorithm = find_planned(request.algorithm);
  return request.machine.executor == Machine::Executor::Host &&
         (request.machine.ranks == 1 || (algorithm && algorithm->sweeps));
}

void refuse_split_of_ranks(const Machine& machine) {
  if (machine.ranks > 1)
    throw Error(ErrorCode::Usage, "ranks do not split vertex state: each has all of it");
}

double told_hooks(const Workload& work, const PlanRequest& request) {
  if (work.algorithm != "cc" || request.machine.executor != Machine::Executor::Host) return 0;
  // Of a directed graph only the rank of an edge's source sees it: nothing is sampled.
  const bool sample =
      !request.shape.directed && !(request.options && request.options->flag("no-sampling"));
  const double hook = 2 * static_cast<double>(request.shape.vertex_bytes());
  constexpr double kBits =
      5. / 8;  // of roots that are linked, known and joined, and of own vertices
  return sample ? hook / 2 : hook * request.machine.ranks + kBits;
}

RankShares shares_of_ranks(int ranks, std::span<const EdgeId> offsets, std::span<const EdgeId> in) {
  constexpr std::uint64_t kNone = ~std::uint64_t{0};
  RankShares shares{kNone, 0, kNone, 0};
  for (int r = 0; r < ranks; ++r) {
    std::uint64_t shown = 0, own = 0;
    for (const auto& lists : {in, offsets}) {
      if (lists.empty()) continue;
      const VertexRange range =
          share_of_rank(r, ranks, lists.data(), static_cast<VertexId>(lists.size() - 1));
      shown += lists[range.last] - lists[range.first];
      own = range.size();
    }
    shares.least = std::min(shares.least, shown);
    shares.most = std::max(shares.most, shown);
    shares.fewest_vertices = std::min(shares.fewest_vertices, own);
    shares.most_vertices = std::max(shares.most_vertices, own);
  }
  return shares;
}

RankPlan plan_ranks(const PlanRequest& request, const Plan& plan,
                    const std::optional<RankShares>& shares, const Range* supersteps,
                    const Pilot* pilot) {
  RankPlan its;
  const auto ranks = static_cast<std::uint64_t>(request.machine.ranks);
  its.ranks = request.machine.ranks;
  const PlanSizes sizes(request, plan);
  const std::uint64_t all =
      plan.work.oriented_lists
          ? sizes.oriented()
          : request.shape.edges * static_cast<std::uint64_t>(directions(plan.work));
  its.even = !shares;
  const std::uint64_t vertices = request.shape.vertices;
  its.edges = shares.value_or(RankShares{all / ranks, (all + ranks - 1) / ranks, vertices / ranks,
                                         (vertices + ranks - 1) / ranks});
  its.state_bytes =
      plan.residency == ResidencyOptions::Kind::Stream ? sizes.state() : sizes.state_here();
  if (all > 0)
    its.list_bytes = whole(static_cast<double>(list_bytes(request.shape, plan.work)) *
                           (static_cast<double>(its.edges.most) / static_cast<double>(all)));
  SentByRank(request, plan, its.edges, supersteps, pilot).fill(its);
  return its;
}

}  // namespace fathom::plan
