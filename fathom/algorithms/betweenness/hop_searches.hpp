// Searches by hops from several sources at once, each list read once for all of them.
#pragma once

#include <algorithm>
#include <span>

#include "fathom/algorithms/betweenness/functors.hpp"
#include "fathom/algorithms/betweenness/parts.hpp"

namespace fathom {

/// Whether vertex state is in one place on the host.
inline bool one_host(const Context& ctx) {
  return ctx.replicas() == 1 && !ctx.on_gpu();
}

/// K searches at once.
template <int K>
class HopSearches {
 public:
  /// `keeps`: coefficients are there after a run.
  HopSearches(const Context& ctx, const Graph& graph, const Targets& targets, bool keeps);

  /// False: the searches take many levels; nothing was added, and this object is of no more use.
  bool run(std::span<const VertexId> sources, Scores& score, Recorder& record);

  // After a run, and valid where a search has a level; of its source, levels and paths.
  const LevelRow<K>* levels(const Device& d) const { return level_of_.on(d); }
  const Row<K>* paths(const Device& d) const { return paths_.on(d); }
  const Row<K>* coefficients(const Device& d) const { return kept_.on(d); }

 private:
  /// Level 0. No vertex is marked as active, at first and after a run.
  void start(std::span<const VertexId> sources);
  /// Forward: level by level, the vertices reached and the number of shortest paths to them.
  bool count_paths(std::span<const VertexId> sources, HopLevels& levels, Recorder& record);
  void find_open(Frontier& open);
  /// Clears what marks `vertices` as the active level.
  void retire(const Frontier& vertices);
  /// What arrived at `next` becomes its path counts, and is active.
  void settle(const Frontier& next, std::uint32_t level);
  /// Backward, from the last level to the first: active_ now holds coefficients.
  void add_dependencies(const HopLevels& levels, Scores& score, Recorder& record);
  /// The vertices of a level, and in above_ which searches have them there.
  void find_level(const HopLevels& levels, std::size_t level, Frontier& here);
  /// What `here` gained goes to its scores and becomes its coefficients, which are active.
  void collect(const Frontier& here, Scores& score);

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

// Compiled once, in hop_searches.cpp: their kernels of the host take long.
extern template class HopSearches<1>;
extern template class HopSearches<2>;
extern template class HopSearches<4>;
extern template class HopSearches<8>;

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
