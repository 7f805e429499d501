// Betweenness by hops: up to eight searches at once, each list read once for all of them.
#include <algorithm>

#include "fathom/algorithms/betweenness/functors.hpp"
#include "fathom/algorithms/betweenness/parts.hpp"
#include "fathom/algorithms/check_sources.hpp"
#include "fathom/algorithms/state_sizes.hpp"
#include "fathom/ops/advance.hpp"
#include "fathom/ops/compute.hpp"
#include "fathom/ops/gather.hpp"
#include "fathom/residency/paged/split_edges.hpp"
#include "fathom/residency/spare_memory.hpp"

namespace fathom {
namespace {

// Clear the rows of all vertices, in order, instead of those of more than this share of them.
constexpr VertexId kFillShare = 3;

// Searches that take so many levels without seeing half of the vertices seldom meet: their rows
// would be read once for each of them.
constexpr std::uint32_t kManyLevels = 64;

/// Whether vertex state is in one place on the host.
bool one_host(const Context& ctx) {
  return ctx.devices().size() == 1 && !ctx.on_gpu();
}
/// Whether searches one by one cost no more reads from a disk.
bool may_part(const Context& ctx, const Graph& graph) {
  return one_host(ctx) && graph.out().comes_whole();
}

/// K searches at once.
template <int K>
class Searches {
 public:
  Searches(const Context& ctx, const Graph& graph)
      : ctx_(ctx),
        graph_(graph),
        n_(graph.vertices()),
        paths_(ctx, n_),
        active_(ctx, n_, {}),
        gain_(ctx, n_, {}),
        level_of_(ctx, n_),
        now_(ctx, n_, 0),
        seen_(ctx, n_),
        above_(ctx, n_),
        claim_(ctx, n_ / 4 + std::size_t{1}, 0),
        overflow_(ctx, 1, 0) {}

  /// False: the searches take many levels; nothing was added, and this object is of no more use.
  bool run(std::span<const VertexId> sources, Scores& score, Recorder& record) {
    HopLevels levels(ctx_);
    start(sources);
    if (!count_paths(sources, levels, record)) return false;
    if (overflow_.get(0) != 0) throw_too_many_paths();
    add_dependencies(levels, score, record);
    return true;
  }

 private:
  /// Level 0. No vertex is marked as active, at first and after a run.
  void start(std::span<const VertexId> sources) {
    all_ = static_cast<Mask>((1u << sources.size()) - 1);
    LevelRow<K> none;
    std::fill_n(none.of, K, kUnfound);
    level_of_.fill(none);
    seen_.fill(0);
    for (const VertexId s : distinct(sources)) {
      Row<K> row{};
      unsigned mask = 0;
      for (std::size_t k = 0; k < sources.size(); ++k) {
        if (sources[k] != s) continue;
        row.of[k] = 1;
        mask |= 1u << k;
      }
      active_.set(s, row);
      now_.set(s, static_cast<Mask>(mask));
      seen_.set(s, static_cast<Mask>(mask));
    }
  }

  /// Forward: level by level, the vertices reached and the number of shortest paths to them.
  bool count_paths(std::span<const VertexId> sources, HopLevels& levels, Recorder& record) {
    Frontier now(ctx_, n_), next(ctx_, n_), open(ctx_, n_);
    now.assign(distinct(sources));
    EdgeId seen = 0;
    for (std::uint32_t level = 1; !now.empty(); ++level) {
      seen += now.size();
      if (level == kManyLevels && seen < n_ / 2 && may_part(ctx_, graph_)) return false;
      const EdgeId edges = graph_.out().degree_sum(ctx_, now);
      levels.push(now, edges);
      const bool pull = graph_.has_in() && edges > graph_.edges() / kPullShare;
      if (pull) {
        find_open(open);
        gather(ctx_, graph_.in(), open, &next, [&](const Device& d) {
          return CountPull<K>{now_.on(d), seen_.on(d), active_.on(d), gain_.on(d), all_};
        });
      } else {
        now.make_list();
        advance(ctx_, graph_.out(), now, &next, [&](const Device& d) {
          return CountPush<K>{now_.on(d), seen_.on(d), active_.on(d), gain_.on(d), claim_.on(d)};
        });
      }
      merge(gain_);
      retire(now);
      settle(next, level);
      record.step(now.size(), edges, pull ? "pull" : "push", graph_.traffic());
      std::swap(now, next);
    }
    return true;
  }

  void find_open(Frontier& open) {
    Frontier everyone(ctx_, n_);
    everyone.fill();
    filter(ctx_, everyone, open, [&](const Device& d) { return NotSeenByAll{seen_.on(d), all_}; });
  }

  /// Clears what marks `vertices` as the active level.
  void retire(const Frontier& vertices) {
    if (vertices.size() > n_ / kFillShare) {
      active_.fill({});
      now_.fill(0);
      return;
    }
    compute(ctx_, vertices, [&](const Device& d) { return Retire<K>{now_.on(d), active_.on(d)}; });
  }

  /// What arrived at `next` becomes its path counts, and is active.
  void settle(const Frontier& next, std::uint32_t level) {
    compute(ctx_, next, [&](const Device& d) {
      return Settle<K>{gain_.on(d),     now_.on(d),   seen_.on(d),     paths_.on(d),
                       level_of_.on(d), claim_.on(d), overflow_.on(d), level};
    });
    std::swap(active_, gain_);
  }

  /// Backward, from the last level to the first: active_ now holds (1 + dependency) / paths.
  void add_dependencies(const HopLevels& levels, Scores& score, Recorder& record) {
    Frontier here(ctx_, n_), below(ctx_, n_);
    for (std::size_t level = levels.size(); level-- > 1;) {
      find_level(levels, level, here);
      if (level + 1 < levels.size())
        gather(ctx_, graph_.out(), here, nullptr, [&](const Device& d) {
          return DependencyPull<K>{above_.on(d), now_.on(d), active_.on(d), gain_.on(d)};
        });
      merge(gain_);
      retire(below);
      collect(here, score);
      record.step(here.size(), levels.edges(level), "back", graph_.traffic());
      std::swap(here, below);
    }
    retire(below);
  }

  /// The vertices of a level, and in above_ which searches have them there.
  void find_level(const HopLevels& levels, std::size_t level, Frontier& here) {
    const auto make = [&](const Device& d) {
      return AtLevel<K>{above_.on(d), level_of_.on(d), static_cast<std::uint32_t>(level)};
    };
    if (levels.kept()) {
      levels.load(level, here);
      compute(ctx_, here, make);
    } else {
      Frontier everyone(ctx_, n_);
      everyone.fill();
      filter(ctx_, everyone, here, make);
      here.set_size(levels.vertices(level));
    }
  }

  /// What `here` gained goes to its scores and becomes its coefficients, which are active.
  void collect(const Frontier& here, Scores& score) {
    compute(ctx_, here, [&](const Device& d) {
      return Collect<K>{now_.on(d), above_.on(d), paths_.on(d), gain_.on(d), score.on(d)};
    });
    std::swap(active_, gain_);
  }

  const Context& ctx_;
  const Graph& graph_;
  VertexId n_;
  Mask all_ = 0;
  VertexArray<Row<K>> paths_;  // valid where level_of_ is set
  // Zero outside of the level being read, which has counts in active_, then coefficients, and of
  // the level being written, for which gain_ adds them up; between supersteps they change places.
  VertexArray<Row<K>, MergeSum> active_, gain_;
  VertexArray<LevelRow<K>> level_of_;
  VertexArray<Mask> now_, seen_, above_;
  VertexArray<std::uint32_t> claim_;
  VertexArray<std::uint32_t> overflow_;
};

/// Takes sources from the front of `sources`, whole batches of them.
template <int K>
void search_all(const Context& ctx, const Graph& graph, std::span<const VertexId>& sources,
                std::size_t total, Scores& score, Recorder& record) {
  const auto done = [&](std::size_t n) {
    sources = sources.subspan(n);
    ctx.task().at(total - sources.size());
  };
  std::size_t alone = K;  // sources to search from one by one once batches have not paid
  while (sources.size() >= K) {
    {
      Searches<K> searches(ctx, graph);
      while (sources.size() >= K && searches.run(sources.first(K), score, record)) done(K);
    }
    if (sources.size() < K) return;
    SingleSearch search(ctx, graph);
    for (std::size_t left = std::min(alone, sources.size()); left > 0; --left) {
      search.run(sources[0], score, record);
      done(1);
    }
    alone *= 2;
  }
}

template <>
void search_all<1>(const Context& ctx, const Graph& graph, std::span<const VertexId>& sources,
                   std::size_t total, Scores& score, Recorder& record) {
  const auto one_by_one = [&](auto&& run) {
    for (; !sources.empty(); sources = sources.subspan(1)) {
      run();
      ctx.task().at(total - sources.size() + 1);
    }
  };
  if (one_host(ctx)) {
    SingleSearch search(ctx, graph);
    one_by_one([&] { search.run(sources[0], score, record); });
  } else {
    Searches<1> search(ctx, graph);
    one_by_one([&] { search.run(sources.first(1), score, record); });
  }
}

}  // namespace

int hop_batch(const Context& ctx, const Graph& graph, std::size_t sources, int batch) {
  // With their offsets in place, as they are for the next run.
  graph.out();
  if (graph.has_in()) graph.in();
  std::size_t pages = graph.out().least_sweep_memory();
  // On devices a frame of each direction.
  if (ctx.separate())
    graph.for_each_open([&](EdgeSource& edges, store::Lists) {
      if (const SplitEdges* const paged = edges.split_edges()) pages += paged->frame_bytes(false);
    });
  for (const int most : {8, 4, 2}) {
    if (most > batch || static_cast<std::size_t>(most) > sources) continue;
    const auto each = static_cast<std::size_t>(betweenness_state(false, most).whole);
    // What caches hold is theirs only until vertex state needs it.
    const auto fits = [&](const Device& d) {
      const std::size_t room = obtainable(*d.memory());
      return (room - std::min(room, pages)) / 2 / each >= graph.vertices();
    };
    if (std::all_of(ctx.devices().begin(), ctx.devices().end(), fits)) return most;
  }
  return 1;
}

void add_hop_dependencies(const Context& ctx, const Graph& graph, std::span<const VertexId> sources,
                          int most, Scores& score, Recorder& record) {
  const std::size_t total = sources.size();
  auto with = [&]<int K>() {
    if (K <= most && sources.size() >= static_cast<std::size_t>(K))
      search_all<K>(ctx, graph, sources, total, score, record);
  };
  with.template operator()<8>();
  with.template operator()<4>();
  with.template operator()<2>();
  with.template operator()<1>();
}

}  // namespace fathom
