// Results that follow a graph from batch to batch beside the same computed anew, which the thesis
// does not have.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <ranges>

#include "bench/papers/benchmarks.hpp"
#include "bench/papers/dynamic/dynamic.hpp"
#include "fathom/algorithms/bfs/bfs.hpp"
#include "fathom/algorithms/components/components.hpp"
#include "fathom/algorithms/pagerank/pagerank.hpp"
#include "fathom/core/error.hpp"
#include "fathom/core/random.hpp"
#include "fathom/dynamic/follow/incremental.hpp"

namespace fathom::cli::dynamic_bench {
namespace {

constexpr double kChangedShares[] = {.0001, .001, .01};  // of the edges
constexpr double kFollowAlpha = .85;
constexpr double kFollowTolerance = 1e-6;
// Both are so close to the exact ranks, in all, half of it each.
constexpr double kRanksApart = 2 * kFollowTolerance * kFollowAlpha / (1 - kFollowAlpha);

/// Which vertices insertions tie: any, so that some without edges join a component, or each as
/// often as it has edges.
enum class Ends { Any, ByDegree };

std::vector<Pair> random_ends(const Subject& s, std::uint64_t count, Ends ends,
                              std::uint64_t seed) {
  if (ends == Ends::Any) return random_pairs(s, count, false, seed);
  const CsrView lists = s.view();
  const RandomStream random(seed, 4);
  const auto draw = [&](std::uint64_t i) {
    return lists.target[bounded(random.at(i), lists.edges)];
  };
  std::vector<Pair> pairs;
  for (std::uint64_t i = 0; i < count; ++i)
    if (const Pair pair{draw(2 * i), draw(2 * i + 1)}; pair.first != pair.second)
      pairs.push_back(pair);
  return pairs;
}

/// Half insertions of edges that are not there, half deletions of some that are, in random order;
/// and what undoes them.
struct Exchange {
  std::vector<EdgeUpdate> forth, back;
  std::uint64_t inserted, removed;
  Expected expected;  // of the lists in between
};

std::vector<EdgeUpdate> exchanged(const std::vector<Pair>& come, const std::vector<Pair>& gone,
                                  std::uint64_t seed) {
  std::vector<EdgeUpdate> all = updates_of(come, false);
  for (const EdgeUpdate& e : updates_of(gone, true)) all.push_back(e);
  const RandomStream random(seed, 3);
  for (std::size_t i = all.size(); i > 1; --i) std::swap(all[i - 1], all[bounded(random.at(i), i)]);
  return all;
}

Exchange make_exchange(const Subject& s, std::uint64_t updates, bool directed, Ends ends,
                       std::uint64_t seed) {
  const auto once = [&](std::vector<Pair> pairs) {
    if (!directed)
      for (auto& [u, v] : pairs)
        if (v < u) std::swap(u, v);
    std::ranges::sort(pairs);
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    return pairs;
  };
  const auto entries = [&](std::vector<Pair> pairs) {
    const std::size_t edges = pairs.size();
    for (std::size_t i = 0; !directed && i < edges; ++i)
      pairs.emplace_back(pairs[i].second, pairs[i].first);
    return pairs;
  };
  const std::vector<Pair> gone = once(random_edges(s, updates / 2, seed));
  const std::vector<Pair> drawn = once(random_ends(s, updates - updates / 2, ends, seed));
  const Expected all(s, drawn, {});
  std::vector<Pair> come;
  std::ranges::set_difference(drawn, all.known(), std::back_inserter(come));
  return {exchanged(come, gone, seed), exchanged(gone, come, seed), come.size(), gone.size(),
          Expected(s, entries(come), entries(gone))};
}

/// Seconds to bring a result up to date, and to compute it anew.
struct Pace {
  std::vector<double> update, anew;

  Json json() const {
    return {{"update_seconds", spread_json(update)},
            {"anew_seconds", spread_json(anew)},
            {"speedup", median_of(anew) / median_of(update)}};
  }
};

/// All results of one graph, and how long they took.
class Followers {
 public:
  Followers(const Part& p, const DynamicGraph& graph, const std::vector<VertexId>& sources,
            std::string what)
      : p_(p),
        graph_(graph),
        sources_(sources),
        what_(std::move(what)),
        levels_(graph, sources),
        parts_(graph),
        ranks_(graph, {.alpha = kFollowAlpha, .tolerance = kFollowTolerance}) {}

  void update(const AppliedBatch& batch) {
    levels_.update(batch);
    parts_.update(batch);
    ranks_.update(batch);
  }
  void update_timed(const AppliedBatch& batch) {
    levels.update.push_back(seconds([&] { levels_.update(batch); }));
    parts.update.push_back(seconds([&] { parts_.update(batch); }));
    ranks.update.push_back(seconds([&] { ranks_.update(batch); }));
  }
  /// Computes them anew, on views whose sums of degrees are there.
  void compare() {
    const Graph now = graph_.graph();
    now.out().offsets(p_.context.devices()[0]);
    now.in().offsets(p_.context.devices()[0]);
    BfsResult search;
    levels.anew.push_back(seconds([&] { search = bfs(p_.context, now, sources_); }));
    require(std::ranges::equal(levels_.depths(), search.depth), "depths");
    ComponentsResult label;
    parts.anew.push_back(seconds([&] { label = connected_components(p_.context, now); }));
    require(std::ranges::equal(parts_.labels(), label.label), "labels of components");
    PagerankOptions options;
    options.alpha = kFollowAlpha;
    options.tolerance = kFollowTolerance;
    PagerankResult rank;
    ranks.anew.push_back(seconds([&] { rank = pagerank(p_.context, now, options); }));
    const std::vector<double> mine = ranks_.ranks();
    require(mine.size() == rank.rank.size(), "numbers of ranks");
    double apart = 0;
    for (std::size_t v = 0; v < mine.size(); ++v) apart += std::abs(mine[v] - rank.rank[v]);
    require(apart <= kRanksApart, fmt::format("ranks, by {},", apart));
  }

  Pace levels, parts, ranks;

 private:
  template <class Body>
  double seconds(const Body& body) const {
    p_.check();
    return seconds_of([&] {
      body();
      p_.context.wait();
    });
  }
  void require(bool equal, const std::string& of) const {
    if (!equal)
      throw Error(
          ErrorCode::VerificationFailed,
          fmt::format("{}: {} that follow the graph differ from those computed anew", what_, of));
  }

  const Part& p_;
  const DynamicGraph& graph_;
  const std::vector<VertexId>& sources_;
  std::string what_;
  IncrementalBfs levels_;
  IncrementalComponents parts_;
  IncrementalPagerank ranks_;
};

/// A row, but for what it is of.
Json follow_exchanges(const Part& p, const Subject& s, DynamicGraph& graph,
                      const std::vector<Exchange>& exchanges, const std::string& what) {
  const auto undo = [&](const Exchange& e) {
    AppliedBatch done = graph.apply_recorded({0, e.back, {}});
    require_equal(graph.edges(), s.csr.edges(), what + ": edges in the end");
    return done;
  };
  std::vector<double> apply, record;
  for (const Exchange& e : exchanges) {
    BatchReport report;
    apply.push_back(apply_seconds(p, graph, {0, e.forth, {}}, &report));
    require_equal(report.inserted, e.inserted, what + ": inserted");
    require_equal(report.removed, e.removed, what + ": removed");
    if (apply.size() == 1) e.expected.check(graph, what);
    undo(e);
  }
  const std::vector<VertexId> sources = pick_sources(s.view(), 1, p.c.seed);
  Followers followers(p, graph, sources, what);
  for (const Exchange& e : exchanges) {
    p.check();
    AppliedBatch done;
    record.push_back(seconds_of([&] {
      done = graph.apply_recorded({0, e.forth, {}});
      p.context.wait();
    }));
    followers.update_timed(done);
    followers.compare();
    followers.update(undo(e));
  }
  return {{"batch", exchanges[0].forth.size()},    {"apply_seconds", spread_json(apply)},
          {"record_seconds", spread_json(record)}, {"bfs", followers.levels.json()},
          {"components", followers.parts.json()},  {"pagerank", followers.ranks.json()}};
}

}  // namespace

void incremental_part(const Part& p, const Subject& s) {
  const std::string& layout = p.c.layouts.front();
  for (const char* form : {"undirected", "directed"}) {
    DynamicGraphOptions options = one_way(layout);
    options.directed = std::string_view(form) == "directed";
    options.in_edges = true;
    DynamicGraph graph(p.context, s.view(), nullptr, options);
    const auto edges = static_cast<double>(s.csr.edges()) / (options.directed ? 1 : 2);
    for (const Ends ends : {Ends::Any, Ends::ByDegree})
      for (const double share : kChangedShares) {
        const auto updates =
            std::max<std::uint64_t>(2, static_cast<std::uint64_t>(std::llround(share * edges)));
        std::vector<Exchange> exchanges;
        for (int round = 0; round < p.c.trials; ++round) {
          p.check();
          exchanges.push_back(make_exchange(s, updates, options.directed, ends,
                                            p.c.seed + 4000 + static_cast<std::uint64_t>(round)));
        }
        const char* const tied = ends == Ends::Any ? "any" : "by degree";
        Json row = follow_exchanges(p, s, graph, exchanges,
                                    fmt::format("{}, {}, {}, {} % changed, ends {}", s.name, layout,
                                                form, share * 100, tied));
        row["graph"] = s.name;
        row["layout"] = layout;
        row["form"] = form;
        row["ends"] = tied;
        row["share"] = share;
        p.report["incremental"].push_back(row);
      }
  }
}

}  // namespace fathom::cli::dynamic_bench
