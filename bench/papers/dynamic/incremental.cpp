// Results that follow a graph from batch to batch beside the same computed anew, which the thesis
// does not have.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <ranges>

#include "bench/papers/benchmarks.hpp"
#include "bench/papers/dynamic/dynamic.hpp"
#include "fathom/algorithms/bfs/bfs.hpp"
#include "fathom/algorithms/components/components.hpp"
#include "fathom/algorithms/kcore/kcore.hpp"
#include "fathom/algorithms/pagerank/pagerank.hpp"
#include "fathom/algorithms/sssp/sssp.hpp"
#include "fathom/algorithms/triangles/triangles.hpp"
#include "fathom/core/error.hpp"
#include "fathom/core/random.hpp"
#include "fathom/dynamic/follow/incremental.hpp"

namespace fathom::cli::dynamic_bench {
namespace {

constexpr double kChangedShares[] = {.0001, .001, .01};  // of the edges
constexpr std::uint64_t kLengths = 64;                   // of edges: 1 to as much
constexpr double kFollowAlpha = .85;
constexpr double kFollowTolerance = 1e-6;
// Both are so close to the exact ranks, in all, half of it each.
constexpr double kRanksApart = 2 * kFollowTolerance * kFollowAlpha / (1 - kFollowAlpha);

/// Which vertices insertions tie: any, so that some without edges join a component; each as often
/// as it has edges; or one of these and one a few edges away, as roads are built.
enum class Ends { Any, ByDegree, Near };
constexpr int kNear = 3;  // edges, at most

std::string name_of(Ends ends) {
  return ends == Ends::Any ? "any" : ends == Ends::ByDegree ? "by degree" : "near";
}

std::vector<Pair> random_ends(const Subject& s, std::uint64_t count, Ends ends,
                              std::uint64_t seed) {
  if (ends == Ends::Any) return random_pairs(s, count, false, seed);
  const CsrView lists = s.view();
  const RandomStream random(seed, 4);
  const auto draw = [&](std::uint64_t i) {
    return lists.target[bounded(random.at(i), lists.edges)];
  };
  const auto walk = [&](std::uint64_t i, VertexId v) {
    for (int step = 0; step < kNear && lists.degree(v) > 0; ++step)
      v = lists.target[lists.offset[v] + bounded(random.at(i, step), lists.degree(v))];
    return v;
  };
  std::vector<Pair> pairs;
  for (std::uint64_t i = 0; i < count; ++i) {
    const VertexId u = draw(2 * i);
    const VertexId v = ends == Ends::Near ? walk(2 * i + 1, u) : draw(2 * i + 1);
    if (u != v) pairs.emplace_back(u, v);
  }
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

void require_followed(bool equal, const std::string& what, const std::string& of) {
  if (!equal)
    throw Error(
        ErrorCode::VerificationFailed,
        fmt::format("{}: {} that follow the graph differ from those computed anew", what, of));
}

/// Levels, components and ranks of one graph, and how long they took.
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
  /// Each on a view of its own: one from before the batch is of no use.
  void compute_timed() {
    const auto now = [&] { return graph_.graph(); };
    levels.anew.push_back(seconds([&] { search_ = bfs(p_.context, now(), sources_); }));
    parts.anew.push_back(seconds([&] { label_ = connected_components(p_.context, now()); }));
    PagerankOptions options;
    options.alpha = kFollowAlpha;
    options.tolerance = kFollowTolerance;
    ranks.anew.push_back(seconds([&] { rank_ = pagerank(p_.context, now(), options); }));
  }
  void compare() const {
    require(std::ranges::equal(levels_.depths(), search_.depth), "depths");
    require(std::ranges::equal(parts_.labels(), label_.label), "labels of components");
    const std::vector<double> mine = ranks_.ranks();
    require(mine.size() == rank_.rank.size(), "numbers of ranks");
    double apart = 0;
    for (std::size_t v = 0; v < mine.size(); ++v) apart += std::abs(mine[v] - rank_.rank[v]);
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
  void require(bool equal, const std::string& of) const { require_followed(equal, what_, of); }

  const Part& p_;
  const DynamicGraph& graph_;
  const std::vector<VertexId>& sources_;
  std::string what_;
  IncrementalBfs levels_;
  IncrementalComponents parts_;
  IncrementalPagerank ranks_;
  BfsResult search_;
  ComponentsResult label_;
  PagerankResult rank_;
};

/// Both ways, of which the second one finds more of the lists in caches: by turns.
template <class Both>
void follow_timed(Both& followers, const AppliedBatch& batch, std::size_t round) {
  if (round % 2 == 0) followers.update_timed(batch);
  followers.compute_timed();
  if (round % 2 != 0) followers.update_timed(batch);
  followers.compare();
}

/// The length of an edge, the same in both directions.
Weight length_of(VertexId u, VertexId v, std::uint64_t seed) {
  const auto [low, high] = std::minmax(u, v);
  return static_cast<Weight>(1 + bounded(RandomStream(seed, low).at(high), kLengths));
}
/// The lists of a subject with lengths.
Csr with_lengths(const Subject& s, std::uint64_t seed) {
  const CsrView lists = s.view();
  Csr csr;
  csr.offset = Array<EdgeId>(lists.vertices + 1, MemoryPool::unlimited());
  csr.target = Array<VertexId>(lists.edges, MemoryPool::unlimited());
  csr.weight = Array<Weight>(lists.edges, MemoryPool::unlimited());
  std::copy_n(lists.offset, lists.vertices + 1, csr.offset.data());
  std::copy_n(lists.target, lists.edges, csr.target.data());
  for (VertexId u = 0; u < lists.vertices; ++u)
    for (EdgeId e = lists.offset[u]; e < lists.offset[u + 1]; ++e)
      csr.weight[e] = length_of(u, lists.target[e], seed);
  return csr;
}
std::vector<EdgeUpdate> with_lengths(std::vector<EdgeUpdate> updates, std::uint64_t seed) {
  for (EdgeUpdate& e : updates) e.weight = length_of(e.source, e.target, seed);
  return updates;
}

/// Results that loops on the host alone follow, of one graph.
class HostFollowers {
 public:
  HostFollowers(const Part& p, const DynamicGraph& graph, VertexId source, std::string what)
      : p_(p),
        graph_(graph),
        source_(source),
        what_(std::move(what)),
        distances_(graph, source),
        triangles_(graph),
        cores_(graph) {}

  void update(const AppliedBatch& batch) {
    distances_.update(batch);
    triangles_.update(batch);
    cores_.update(batch);
  }
  void update_timed(const AppliedBatch& batch) {
    p_.check();
    distances.update.push_back(seconds_of([&] { distances_.update(batch); }));
    triangles.update.push_back(seconds_of([&] { triangles_.update(batch); }));
    cores.update.push_back(seconds_of([&] { cores_.update(batch); }));
  }
  void compute_timed() {
    p_.check();
    const auto now = [&] { return graph_.graph(); };
    distances.anew.push_back(seconds_of([&] { search_ = sssp(p_.context, now(), source_); }));
    triangles.anew.push_back(seconds_of([&] { counted_ = count_triangles(p_.context, now()); }));
    cores.anew.push_back(seconds_of([&] { peeled_ = kcore(p_.context, now()); }));
  }
  void compare() const {
    require_followed(std::ranges::equal(distances_.distances(), search_.distance), what_,
                     "distances");
    require_followed(triangles_.total() == counted_.total, what_, "triangles");
    require_followed(std::ranges::equal(cores_.cores(), peeled_.core), what_, "core numbers");
  }
  Json json() const {
    return {{"sssp", distances.json()}, {"triangles", triangles.json()}, {"cores", cores.json()}};
  }

 private:
  Pace distances, triangles, cores;
  const Part& p_;
  const DynamicGraph& graph_;
  VertexId source_;
  std::string what_;
  IncrementalSssp distances_;
  IncrementalTriangles triangles_;
  IncrementalCores cores_;
  SsspResult search_;
  TrianglesResult counted_;
  KcoreResult peeled_;
};

/// What a row has of them besides. The graph has lengths.
Json follow_on_host(const Part& p, const Subject& s, DynamicGraph& graph,
                    const std::vector<Exchange>& exchanges, const std::string& what) {
  HostFollowers followers(p, graph, pick_sources(s.view(), 1, p.c.seed)[0], what);
  for (std::size_t round = 0; round < exchanges.size(); ++round) {
    p.check();
    const auto apply = [&](const std::vector<EdgeUpdate>& updates) {
      const std::vector<EdgeUpdate> all = with_lengths(updates, p.c.seed);
      return graph.apply_recorded({0, all, {}});
    };
    follow_timed(followers, apply(exchanges[round].forth), round);
    followers.update(apply(exchanges[round].back));
  }
  return followers.json();
}

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
  for (std::size_t round = 0; round < exchanges.size(); ++round) {
    p.check();
    AppliedBatch done;
    record.push_back(seconds_of([&] {
      done = graph.apply_recorded({0, exchanges[round].forth, {}});
      p.context.wait();
    }));
    follow_timed(followers, done, round);
    followers.update(undo(exchanges[round]));
  }
  return {{"batch", exchanges[0].forth.size()},    {"apply_seconds", spread_json(apply)},
          {"record_seconds", spread_json(record)}, {"bfs", followers.levels.json()},
          {"components", followers.parts.json()},  {"pagerank", followers.ranks.json()}};
}

}  // namespace

void incremental_part(const Part& p, const Subject& s) {
  if (p.dealt()) return p.leave_out(s.name + ": results follow graphs in one memory");
  const std::string& layout = p.c.layouts.front();
  for (const char* form : {"undirected", "directed"}) {
    DynamicGraphOptions options = one_way(layout);
    options.directed = std::string_view(form) == "directed";
    options.in_edges = true;
    DynamicGraph graph(p.context, s.view(), nullptr, options);
    std::optional<DynamicGraph> lengths;
    if (!p.context.on_gpu()) {
      options.edges = EdgeKind::Weighted;
      lengths.emplace(p.context, with_lengths(s, p.c.seed).view(), nullptr, options);
    }
    const auto edges = static_cast<double>(s.csr.edges()) / (options.directed ? 1 : 2);
    for (const Ends ends : {Ends::Any, Ends::ByDegree, Ends::Near})
      for (const double share : kChangedShares) {
        const auto updates =
            std::max<std::uint64_t>(2, static_cast<std::uint64_t>(std::llround(share * edges)));
        std::vector<Exchange> exchanges;
        for (int round = 0; round < p.c.trials; ++round) {
          p.check();
          exchanges.push_back(make_exchange(s, updates, options.directed, ends,
                                            p.c.seed + 4000 + static_cast<std::uint64_t>(round)));
        }
        const std::string tied = name_of(ends);
        const std::string what = fmt::format("{}, {}, {}, {} % changed, ends {}", s.name, layout,
                                             form, share * 100, tied);
        Json row = follow_exchanges(p, s, graph, exchanges, what);
        if (lengths) row.update(follow_on_host(p, s, *lengths, exchanges, what));
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
