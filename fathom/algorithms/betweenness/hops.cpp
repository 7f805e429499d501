// Betweenness by hops: up to eight searches at once, each list read once for all of them.
#include <algorithm>

#include "fathom/algorithms/betweenness/functors.hpp"
#include "fathom/algorithms/betweenness/parts.hpp"
#include "fathom/algorithms/state_sizes.hpp"
#include "fathom/ops/advance.hpp"
#include "fathom/ops/compute.hpp"
#include "fathom/ops/gather.hpp"
#include "fathom/residency/paged/split_edges.hpp"
#include "fathom/residency/spare_memory.hpp"

namespace fathom {
namespace {

constexpr std::uint32_t kNoLevel = ~std::uint32_t{0};

// Pull once the frontier has more than this share of all edges.
constexpr EdgeId kPullShare = 4;

/// K searches at once.
template <int K>
class Searches {
 public:
  Searches(const Context& ctx, const Graph& graph)
      : ctx_(ctx),
        graph_(graph),
        n_(graph.vertices()),
        paths_(ctx, n_),
        active_(ctx, n_),
        gain_(ctx, n_),
        level_of_(ctx, n_),
        now_(ctx, n_),
        seen_(ctx, n_),
        above_(ctx, n_),
        claim_(ctx, n_ / 4 + std::size_t{1}),
        overflow_(ctx, 1, 0) {}

  void run(std::span<const VertexId> sources, Scores& score, Recorder& record) {
    Levels levels(ctx_);
    start(sources);
    count_paths(sources, levels, record);
    if (overflow_.get(0) != 0) throw_too_many_paths();
    add_dependencies(levels, score, record);
  }

 private:
  void start(std::span<const VertexId> sources) {
    all_ = static_cast<Mask>((1u << sources.size()) - 1);
    active_.fill({});
    gain_.fill({});
    LevelRow<K> none;
    std::fill_n(none.of, K, kNoLevel);
    level_of_.fill(none);
    for (auto* masks : {&now_, &seen_, &above_}) masks->fill(0);
    claim_.fill(0);
    for (std::size_t k = 0; k < sources.size(); ++k) {
      const VertexId s = sources[k];
      const auto bit = static_cast<Mask>(1u << k);
      Row<K> row = active_.get(s);
      row.of[k] = 1;
      active_.set(s, row);
      now_.set(s, static_cast<Mask>(now_.get(s) | bit));
      seen_.set(s, static_cast<Mask>(seen_.get(s) | bit));
    }
  }

  /// Forward: level by level, the vertices reached and the number of shortest paths to them.
  void count_paths(std::span<const VertexId> sources, Levels& levels, Recorder& record) {
    Frontier now(ctx_, n_), next(ctx_, n_), open(ctx_, n_);
    std::vector<VertexId> start(sources.begin(), sources.end());
    std::sort(start.begin(), start.end());
    start.erase(std::unique(start.begin(), start.end()), start.end());
    now.assign(start);
    for (std::uint32_t level = 1; !now.empty(); ++level) {
      levels.push(now);
      const EdgeId edges = graph_.out().degree_sum(ctx_, now);
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
  }

  void find_open(Frontier& open) {
    Frontier everyone(ctx_, n_);
    everyone.fill();
    filter(ctx_, everyone, open, [&](const Device& d) { return NotSeenByAll{seen_.on(d), all_}; });
  }

  /// Clears what marks `vertices` as the active level.
  void retire(const Frontier& vertices) {
    compute(ctx_, vertices, [&](const Device& d) { return Retire<K>{now_.on(d), active_.on(d)}; });
  }

  /// What arrived at `next` becomes its path counts.
  void settle(const Frontier& next, std::uint32_t level) {
    compute(ctx_, next, [&](const Device& d) {
      return Settle<K>{now_.on(d),      seen_.on(d),  paths_.on(d),    active_.on(d), gain_.on(d),
                       level_of_.on(d), claim_.on(d), overflow_.on(d), level};
    });
  }

  /// Backward, from the last level to the first: active_ now holds (1 + dependency) / paths.
  void add_dependencies(const Levels& levels, Scores& score, Recorder& record) {
    Frontier here(ctx_, n_), below(ctx_, n_);
    for (std::size_t level = levels.size(); level-- > 1;) {
      levels.load(level, here);
      const EdgeId edges = graph_.out().degree_sum(ctx_, here);
      mark(here, static_cast<std::uint32_t>(level));
      if (level + 1 < levels.size())
        gather(ctx_, graph_.out(), here, nullptr, [&](const Device& d) {
          return DependencyPull<K>{above_.on(d), now_.on(d), active_.on(d), gain_.on(d)};
        });
      merge(gain_);
      retire(below);
      collect(here, score);
      record.step(here.size(), edges, "back", graph_.traffic());
      std::swap(here, below);
    }
  }

  void mark(const Frontier& here, std::uint32_t level) {
    compute(ctx_, here, [&](const Device& d) {
      return MarkLevel<K>{above_.on(d), level_of_.on(d), level};
    });
  }

  void collect(const Frontier& here, Scores& score) {
    compute(ctx_, here, [&](const Device& d) {
      return Collect<K>{now_.on(d),    above_.on(d), paths_.on(d),
                        active_.on(d), gain_.on(d),  score.on(d)};
    });
  }

  const Context& ctx_;
  const Graph& graph_;
  VertexId n_;
  Mask all_ = 0;
  VertexArray<Row<K>> paths_;           // valid where level_of_ is set
  VertexArray<Row<K>> active_;          // of the level being read: counts, then coefficients
  VertexArray<Row<K>, MergeSum> gain_;  // of the level being written; zero between supersteps
  VertexArray<LevelRow<K>> level_of_;
  VertexArray<Mask> now_, seen_, above_;
  VertexArray<std::uint32_t> claim_;
  VertexArray<std::uint32_t> overflow_;
};

template <int K>
void search_all(const Context& ctx, const Graph& graph, std::span<const VertexId>& sources,
                std::size_t total, Scores& score, Recorder& record) {
  Searches<K> searches(ctx, graph);
  while (sources.size() >= K || (K == 1 && !sources.empty())) {
    searches.run(sources.first(K), score, record);
    sources = sources.subspan(K);
    ctx.task().at(total - sources.size());
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
