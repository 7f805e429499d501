// Searches by hops from several sources at once, each list read once for all of them.
#pragma once

#include <algorithm>
#include <span>

#include "fathom/algorithms/betweenness/functors.hpp"
#include "fathom/algorithms/betweenness/parts.hpp"
#include "fathom/algorithms/check_sources.hpp"
#include "fathom/ops/advance.hpp"
#include "fathom/ops/compute.hpp"
#include "fathom/ops/gather.hpp"

namespace fathom {

// Clear the rows of all vertices, in order, instead of those of more than this share of them.
inline constexpr VertexId kFillRowsShare = 3;

// Searches that take so many levels without seeing half of the vertices seldom meet: their rows
// would be read once for each of them.
inline constexpr std::uint32_t kManySearchLevels = 64;

/// Whether vertex state is in one place on the host.
inline bool one_host(const Context& ctx) {
  return ctx.replicas() == 1 && !ctx.on_gpu();
}
/// Whether searches one by one cost no more reads from a disk.
inline bool may_part(const Context& ctx, const Graph& graph) {
  return one_host(ctx) && graph.out().comes_whole();
}

/// K searches at once.
template <int K>
class HopSearches {
 public:
  /// `keeps`: coefficients are there after a run.
  HopSearches(const Context& ctx, const Graph& graph, const Targets& targets, bool keeps)
      : ctx_(ctx),
        graph_(graph),
        targets_(targets),
        keeps_(keeps),
        n_(graph.vertices()),
        paths_(ctx, n_),
        active_(ctx, n_, {}),
        gain_(ctx, n_, {}),
        kept_(ctx, keeps ? n_ : 0),
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

  // After a run, and valid where a search has a level; of its source, levels and paths.
  const LevelRow<K>* levels(const Device& d) const { return level_of_.on(d); }
  const Row<K>* paths(const Device& d) const { return paths_.on(d); }
  const Row<K>* coefficients(const Device& d) const { return kept_.on(d); }

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
      LevelRow<K> levels = none;
      unsigned mask = 0;
      for (std::size_t k = 0; k < sources.size(); ++k) {
        if (sources[k] != s) continue;
        row.of[k] = 1;
        levels.of[k] = 0;
        mask |= 1u << k;
      }
      if (keeps_) {
        paths_.set(s, row);
        level_of_.set(s, levels);
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
      if (level == kManySearchLevels && seen < n_ / 2 && may_part(ctx_, graph_)) return false;
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
    if (vertices.size() > n_ / kFillRowsShare) {
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

  /// Backward, from the last level to the first: active_ now holds coefficients.
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
      return Collect<K>{now_.on(d),    above_.on(d), paths_.on(d),
                        gain_.on(d),   score.on(d),  keeps_ ? kept_.on(d) : nullptr,
                        targets_.on(d)};
    });
    std::swap(active_, gain_);
  }

  const Context& ctx_;
  const Graph& graph_;
  const Targets& targets_;
  const bool keeps_;
  VertexId n_;
  Mask all_ = 0;
  VertexArray<Row<K>> paths_;  // valid where level_of_ is set
  // Zero outside of the level being read, which has counts in active_, then coefficients, and of
  // the level being written, for which gain_ adds them up; between supersteps they change places.
  VertexArray<Row<K>, MergeSum> active_, gain_;
  VertexArray<Row<K>> kept_;
  VertexArray<LevelRow<K>> level_of_;
  VertexArray<Mask> now_, seen_, above_;
  VertexArray<std::uint32_t> claim_;
  VertexArray<std::uint32_t> overflow_;
};

/// Searches by hops from many sources, a batch at a time.
///
/// after(searches), of HopSearches<K> or SingleSearch, is called while what they found is there.
template <class After>
class SearchByHops {
 public:
  SearchByHops(const Context& ctx, const Graph& graph, const Targets& targets, bool keeps,
               Scores& score, Recorder& record, const After& after)
      : ctx_(ctx),
        graph_(graph),
        targets_(targets),
        keeps_(keeps),
        score_(score),
        record_(record),
        after_(after) {}

  /// Adds the dependencies of `sources`, at most `most` (1, 2, 4 or 8) at once.
  void run(std::span<const VertexId> sources, int most) {
    left_ = sources;
    total_ = sources.size();
    if (most >= 8) in_batches<8>();
    if (most >= 4) in_batches<4>();
    if (most >= 2) in_batches<2>();
    one_by_one();
  }

 private:
  void done(std::size_t n) {
    left_ = left_.subspan(n);
    ctx_.task().at(total_ - left_.size());
  }

  template <int K>
  void in_batches() {
    std::size_t alone = K;  // sources to search from one by one once batches have not paid
    while (left_.size() >= K) {
      {
        HopSearches<K> searches(ctx_, graph_, targets_, keeps_);
        while (left_.size() >= K && searches.run(left_.first(K), score_, record_)) {
          after_(searches);
          done(K);
        }
      }
      if (left_.size() < K) return;
      SingleSearch search(ctx_, graph_, targets_);
      for (std::size_t n = std::min(alone, left_.size()); n > 0; --n) run_alone(search);
      alone *= 2;
    }
  }

  void one_by_one() {
    if (left_.empty()) return;
    if (one_host(ctx_)) {
      SingleSearch search(ctx_, graph_, targets_);
      while (!left_.empty()) run_alone(search);
      return;
    }
    HopSearches<1> search(ctx_, graph_, targets_, keeps_);
    while (!left_.empty()) {
      search.run(left_.first(1), score_, record_);
      after_(search);
      done(1);
    }
  }

  void run_alone(SingleSearch& search) {
    search.run(left_[0], score_, record_);
    after_(search);
    done(1);
  }

  const Context& ctx_;
  const Graph& graph_;
  const Targets& targets_;
  const bool keeps_;
  Scores& score_;
  Recorder& record_;
  const After& after_;
  std::span<const VertexId> left_;
  std::size_t total_ = 0;
};

}  // namespace fathom
