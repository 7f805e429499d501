#include "fathom/dynamic/batches/applied_batch.hpp"

#include <algorithm>
#include <limits>

#include "fathom/core/error.hpp"
#include "fathom/core/parallel.hpp"
#include "fathom/dynamic/dynamic_state.hpp"
#include "fathom/dynamic/follow/incremental_functors.hpp"
#include "fathom/dynamic/lists/list_walk.hpp"
#include "fathom/graph/radix_sort.hpp"
#include "fathom/ops/compute.hpp"

namespace fathom {
namespace {

constexpr std::size_t kTraceGrain = 512;
constexpr std::size_t kPairGrain = std::size_t{1} << 14;

/// Those i in [0, n) that begin something, numbered in their order by all threads.
template <class Begins>
class Numbered {
 public:
  Numbered(int threads, std::size_t n, const Begins& begins)
      : threads_(threads), n_(n), begins_(begins), first_((n + kPairGrain - 1) / kPairGrain + 1) {
    parallel_for(threads, n, kPairGrain, [&](std::size_t first, std::size_t last, int) {
      std::size_t count = 0;
      for (std::size_t i = first; i < last; ++i) count += begins(i) ? 1 : 0;
      first_[first / kPairGrain + 1] = count;
    });
    for (std::size_t k = 1; k < first_.size(); ++k) first_[k] += first_[k - 1];
  }
  std::size_t count() const { return first_.back(); }
  /// put(i, its number).
  template <class Put>
  void each(const Put& put) const {
    parallel_for(threads_, n_, kPairGrain, [&](std::size_t first, std::size_t last, int) {
      std::size_t next = first_[first / kPairGrain];
      for (std::size_t i = first; i < last; ++i)
        if (begins_(i)) put(i, next++);
    });
  }

 private:
  int threads_;
  std::size_t n_;
  const Begins& begins_;
  std::vector<std::size_t> first_;  // number of each grain's first
};

/// Every pair that the batch may change, once, without its counts.
class TouchedPairs {
 public:
  TouchedPairs(const DynamicGraph::State& graph, const GraphBatch& batch) : graph_(graph) {
    put_all(updates_of(batch));
    if (!batch.deleted_vertices.empty()) put_lists_of(batch.deleted_vertices);
    const int threads = graph.threads();
    Array<ChangedEdge> scratch(pair_.size());
    graph::parallel_radix_sort(
        pair_.data(), scratch.data(), pair_.size(), threads,
        [](const ChangedEdge& e) { return static_cast<std::uint64_t>(e.source) << 32 | e.target; },
        [](const ChangedEdge*, const ChangedEdge*) {});
    const auto is_first = [&](std::size_t i) {
      return i == 0 || pair_[i].source != pair_[i - 1].source ||
             pair_[i].target != pair_[i - 1].target;
    };
    const Numbered once(threads, pair_.size(), is_first);
    once.each([&](std::size_t i, std::size_t at) { scratch[at] = pair_[i]; });
    pair_.resize(once.count());
    parallel_for(threads, pair_.size(), kPairGrain, [&](std::size_t first, std::size_t last, int) {
      std::copy(scratch.begin() + first, scratch.begin() + last,
                pair_.begin() + static_cast<std::ptrdiff_t>(first));
    });
  }
  std::vector<ChangedEdge> take() && { return std::move(pair_); }

 private:
  std::span<const EdgeUpdate> updates_of(const GraphBatch& batch) {
    if (!batch.edges_on_device) return batch.edges;
    copied_.resize(batch.edges.size());
    graph_.ctx->copy(copied_.data(), batch.edges.data(), batch.edges.size_bytes());
    return copied_;
  }
  /// Loops of an undirected graph twice, like what is there several times.
  void put_all(std::span<const EdgeUpdate> updates) {
    const std::size_t each = graph_.options.directed ? 1 : 2;
    pair_.resize(each * updates.size());
    parallel_for(graph_.threads(), updates.size(), kPairGrain,
                 [&](std::size_t first, std::size_t last, int) {
                   for (std::size_t i = first; i < last; ++i) {
                     const EdgeUpdate& e = updates[i];
                     pair_[each * i] = {e.source, e.target, 0, 0};
                     if (each == 2) pair_[2 * i + 1] = {e.target, e.source, 0, 0};
                   }
                 });
  }
  void put(VertexId u, VertexId v) {
    pair_.push_back({u, v, 0, 0});
    if (!graph_.options.directed && u != v) pair_.push_back({v, u, 0, 0});
  }
  void put_lists_of(std::span<const VertexId> deleted) {
    std::vector<VertexId> gone;
    for (const VertexId v : deleted)
      if (v < graph_.vertices()) gone.push_back(v);
    const auto put_out = [&](VertexId v, VertexId t) { put(v, t); };
    each_edge_of(gone, false, put_out);
    if (graph_.both_directions())
      each_edge_of(gone, true, [&](VertexId v, VertexId s) { put(s, v); });
    if (!graph_.options.directed || graph_.both_directions()) return;
    std::vector<bool> goes(graph_.vertices(), false);
    for (const VertexId v : gone) goes[v] = true;
    const Csr all = graph_.to_csr(false);
    for (VertexId u = 0; u < graph_.vertices(); ++u)
      for (EdgeId e = all.offset[u]; e < all.offset[u + 1]; ++e)
        if (goes[all.target[e]]) put(u, all.target[e]);
  }
  template <class Visit>
  void each_edge_of(const std::vector<VertexId>& vertices, bool of_in, const Visit& visit) {
    if (vertices.empty()) return;
    if (graph_.gpu) {
      const Csr lists = graph_.gpu->neighbors(vertices, of_in, nullptr);
      for (std::size_t i = 0; i < vertices.size(); ++i)
        for (EdgeId e = lists.offset[i]; e < lists.offset[i + 1]; ++e)
          visit(vertices[i], lists.target[e]);
      return;
    }
    const DynamicEdges lists = graph_.view(of_in);
    for (const VertexId v : vertices)
      dynamic::each_target(lists, v, [&](VertexId t) { visit(v, t); });
  }

  const DynamicGraph::State& graph_;
  std::vector<EdgeUpdate> copied_;
  std::vector<ChangedEdge> pair_;
};

/// Counts edges of every pair, before the batch and after it: where the graph is, with memory there
/// that it has from the first count on, so that the second one does not lack it.
class PairCounts {
 public:
  PairCounts(const DynamicGraph::State& graph, std::vector<ChangedEdge>& pairs)
      : graph_(graph), pairs_(pairs) {
    if (graph.gpu) here_ = Array<ChangedEdge>(pairs.size(), graph.ctx->devices()[0].memory());
  }
  void count(bool after) {
    if (graph_.gpu) return count_on_gpu(after);
    const dynamic::CountPair one{graph_.view(false), graph_.vertices(), pairs_.data(), after};
    parallel_for(graph_.threads(), pairs_.size(), kTraceGrain,
                 [&](std::size_t a, std::size_t b, int) {
                   for (std::size_t i = a; i < b; ++i) one(static_cast<VertexId>(i));
                 });
  }

 private:
  void count_on_gpu(bool after) {
    const Context& ctx = *graph_.ctx;
    const std::size_t bytes = pairs_.size() * sizeof(ChangedEdge);
    ctx.copy(here_.data(), pairs_.data(), bytes);
    compute(ctx, static_cast<VertexId>(pairs_.size()), [&](const Device&) {
      return dynamic::CountPair{graph_.view(false), graph_.vertices(), here_.data(), after};
    });
    ctx.copy(pairs_.data(), here_.data(), bytes);
  }

  const DynamicGraph::State& graph_;
  std::vector<ChangedEdge>& pairs_;
  Array<ChangedEdge> here_;
};

/// The smallest weight of every pair, before the batch and after it, with memory as PairCounts has
/// it; of graphs with weights in host memory.
class PairWeights {
 public:
  PairWeights(const DynamicGraph::State& graph, const std::vector<ChangedEdge>& pairs)
      : graph_(graph) {
    if (graph.gpu || graph.options.edges == EdgeKind::Simple) return;
    weight_.reserve(pairs.size());
    for (const ChangedEdge& e : pairs) weight_.push_back({e.source, e.target, 0, 0});
  }
  void look_up(bool after) {
    parallel_for(graph_.threads(), weight_.size(), kTraceGrain,
                 [&, lists = graph_.view(false), vertices = graph_.vertices()](std::size_t a,
                                                                               std::size_t b, int) {
                   for (std::size_t i = a; i < b; ++i) {
                     ChangedWeight& its = weight_[i];
                     (after ? its.after : its.before) =
                         its.source < vertices
                             ? dynamic::smallest_weight(lists, its.source, its.target)
                             : std::numeric_limits<Weight>::infinity();
                   }
                 });
  }
  /// Those that have changed.
  std::vector<ChangedWeight> take() && {
    std::erase_if(weight_, [](const ChangedWeight& w) { return w.before == w.after; });
    return std::move(weight_);
  }

 private:
  const DynamicGraph::State& graph_;
  std::vector<ChangedWeight> weight_;
};

/// The lists of ascending pairs.
std::vector<ChangedList> lists_of(const std::vector<ChangedEdge>& pairs, int threads) {
  const auto begins = [&](std::size_t i) {
    return i == 0 || pairs[i].source != pairs[i - 1].source;
  };
  const Numbered numbered(threads, pairs.size(), begins);
  std::vector<ChangedList> lists(numbered.count());
  numbered.each([&](std::size_t i, std::size_t at) {
    lists[at] = {pairs[i].source, 0, 0, i, pairs.size()};
  });
  for (std::size_t k = 1; k < lists.size(); ++k) lists[k - 1].last = lists[k].first;
  return lists;
}

/// Edges of each of the lists before the batch: none of vertices that it brings.
void measure(const DynamicGraph::State& graph, std::vector<ChangedList>& lists) {
  std::vector<VertexId> source;
  for (const ChangedList& its : lists)
    if (its.source < graph.vertices()) source.push_back(its.source);
  if (!graph.gpu) {
    parallel_for(graph.threads(), source.size(), kPairGrain,
                 [&, out = graph.view(false)](std::size_t first, std::size_t last, int) {
                   for (std::size_t i = first; i < last; ++i)
                     lists[i].before = out.degree(source[i]);
                 });
    return;
  }
  std::vector<EdgeId> degree(source.size());
  graph.gpu->degrees(source, degree.data(), false);
  for (std::size_t i = 0; i < source.size(); ++i)
    lists[i].before = static_cast<std::uint32_t>(degree[i]);
}

/// Leaves out edges that have not changed, and lists without others. Fails never.
void keep_changed(AppliedBatch& applied) {
  std::size_t edges = 0, lists = 0;
  for (ChangedList its : applied.list) {
    const std::size_t first = edges;
    its.after = its.before;
    for (std::size_t i = its.first; i < its.last; ++i) {
      const ChangedEdge e = applied.edge[i];
      its.after = its.after + e.after - e.before;
      if (e.after != e.before) applied.edge[edges++] = e;
    }
    its.first = first;
    its.last = edges;
    if (edges != first) applied.list[lists++] = its;
  }
  applied.edge.resize(edges);
  applied.list.resize(lists);
}

}  // namespace

AppliedBatch DynamicGraph::apply_recorded(const GraphBatch& batch) {
  state_->check_at_rest();
  state_->check_in_one_memory("a record of what a batch changes");
  if (batch.edges_on_device && !state_->gpu) apply(batch);  // which refuses it
  AppliedBatch applied;
  applied.graph = state_->number;
  applied.edge = TouchedPairs(*state_, batch).take();
  applied.list = lists_of(applied.edge, state_->threads());
  measure(*state_, applied.list);
  PairCounts counts(*state_, applied.edge);
  PairWeights weights(*state_, applied.edge);
  counts.count(false);
  weights.look_up(false);
  applied.report = apply(batch);
  // No memory is asked for from here on: the batch would stay, and nobody be told what it did.
  counts.count(true);
  weights.look_up(true);
  applied.weight = std::move(weights).take();
  keep_changed(applied);
  return applied;
}

}  // namespace fathom
