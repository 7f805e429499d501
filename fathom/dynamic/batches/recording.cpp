#include "fathom/dynamic/batches/recording.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <utility>

#include "fathom/core/error.hpp"
#include "fathom/core/parallel.hpp"
#include "fathom/dynamic/batches/recording_functors.hpp"
#include "fathom/graph/radix_sort.hpp"
#include "fathom/ops/compute.hpp"

namespace fathom::dynamic {
namespace {

constexpr std::size_t kGrain = std::size_t{1} << 14;
constexpr std::size_t kSearchGrain = 512;

/// The pairs of all edges of the vertices that a batch deletes, from its lists.
class PairsOfDeleted {
 public:
  PairsOfDeleted(const DynamicGraph::State& graph, PairKey pair, std::span<const VertexId> deleted)
      : graph_(graph), pair_(pair) {
    std::vector<VertexId> gone;
    for (const VertexId v : deleted)
      if (v < graph.vertices()) gone.push_back(v);
    if (gone.empty()) return;
    each_edge_of(gone, false, [&](VertexId v, VertexId t) { put(v, t); });
    if (graph.both_directions())
      each_edge_of(gone, true, [&](VertexId v, VertexId s) { put(s, v); });
    else if (graph.options.directed)
      put_edges_to(gone);
  }
  const std::vector<std::uint64_t>& keys() const { return key_; }

 private:
  void put(VertexId u, VertexId v) { key_.push_back(pair_(u, v)); }
  void put_edges_to(const std::vector<VertexId>& gone) {
    std::vector<bool> goes(graph_.vertices(), false);
    for (const VertexId v : gone) goes[v] = true;
    const Csr all = graph_.to_csr(false);
    for (VertexId u = 0; u < graph_.vertices(); ++u)
      for (EdgeId e = all.offset[u]; e < all.offset[u + 1]; ++e)
        if (goes[all.target[e]]) put(u, all.target[e]);
  }
  template <class Visit>
  void each_edge_of(const std::vector<VertexId>& vertices, bool of_in, const Visit& visit) {
    if (graph_.gpu) {
      const Csr lists = graph_.gpu->neighbors(vertices, of_in, nullptr);
      for (std::size_t i = 0; i < vertices.size(); ++i)
        for (EdgeId e = lists.offset[i]; e < lists.offset[i + 1]; ++e)
          visit(vertices[i], lists.target[e]);
      return;
    }
    const DynamicEdges lists = graph_.view(of_in);
    for (const VertexId v : vertices) each_target(lists, v, [&](VertexId t) { visit(v, t); });
  }

  const DynamicGraph::State& graph_;
  PairKey pair_;
  std::vector<std::uint64_t> key_;
};

/// Of indices below vertices() and those of new vertices.
PairKey pair_key(const DynamicGraph::State& graph, const GraphBatch& batch) {
  const std::uint64_t indices = std::uint64_t{graph.vertices()} + batch.new_vertices;
  return {std::clamp(static_cast<int>(std::bit_width(indices)), 1, 32)};
}

template <class F>
void each_on_host(int threads, std::size_t n, std::size_t grain, const F& f) {
  parallel_for(threads, n, grain, [&](std::size_t first, std::size_t last, int) {
    for (std::size_t i = first; i < last; ++i) f(static_cast<VertexId>(i));
  });
}

}  // namespace

std::shared_ptr<MemoryPool> Recording::memory() const {
  return graph_.gpu ? graph_.ctx->devices()[0].memory() : graph_.ctx->host_memory();
}

/// f(i) for every i in [0, n), where the graph is.
template <class F>
void Recording::each(std::size_t n, const F& f) const {
  if (n == 0) return;
  if (graph_.gpu)
    compute(*graph_.ctx, static_cast<VertexId>(n), [&](const Device&) { return f; });
  else
    each_on_host(graph_.threads(), n, kGrain, f);
}

/// place_[i] = flag_[0] + ... + flag_[i - 1], for i in [0, n).
void Recording::sum(std::size_t n) {
  if (graph_.gpu) return graph_.gpu->sum_up(flag_.data(), place_.data(), n);
  parallel_for(graph_.threads(), n, kGrain, [&](std::size_t first, std::size_t last, int) {
    std::uint64_t all = 0;
    for (std::size_t i = first; i < last; ++i) all += flag_[i];
    sums_[first / kGrain] = all;
  });
  std::uint64_t before = 0;
  for (std::size_t k = 0; k * kGrain < n; ++k) before += std::exchange(sums_[k], before);
  parallel_for(graph_.threads(), n, kGrain, [&](std::size_t first, std::size_t last, int) {
    std::uint64_t all = sums_[first / kGrain];
    for (std::size_t i = first; i < last; ++i) {
      place_[i] = all;
      all += flag_[i];
    }
  });
}

Recording::Recording(const DynamicGraph::State& graph, const GraphBatch& batch)
    : graph_(graph), changes_(std::make_shared<RecordedChanges>()) {
  if (graph.gpu) changes_->on_gpu = graph.ctx;
  take_pairs(batch);
  make_room();
  count(false);
}

/// A loop of an undirected graph is there twice, like all that a batch names several times.
void Recording::take_pairs(const GraphBatch& batch) {
  const PairKey pair = pair_key(graph_, batch);
  const PairsOfDeleted implied(graph_, pair, batch.deleted_vertices);
  const std::size_t named = batch.edges.size() + implied.keys().size();
  const std::size_t keys = graph_.options.directed ? named : 2 * named;
  if (keys == 0) return;
  if (keys >= std::numeric_limits<std::uint32_t>::max())
    throw Error(
        ErrorCode::DoesNotFit,
        "a batch that is recorded names fewer than 2^32 edges, not " + std::to_string(keys));
  const auto n = static_cast<VertexId>(keys);
  Array<std::uint64_t> key = array<std::uint64_t>(keys), other = array<std::uint64_t>(keys);
  bring_keys(batch, pair, implied.keys(), key.data());
  if (keys > named) each(named, MirrorKey{pair, key.data(), static_cast<VertexId>(named)});
  const std::uint64_t* const sorted = sort(key, other, pair);
  flag_ = array<std::uint64_t>(keys + 1);
  place_ = array<std::uint64_t>(keys + 1);
  if (!graph_.gpu) sums_.resize(keys / kGrain + 1);
  each(keys + 1, BeginsPair{pair, sorted, n, flag_.data()});
  sum(keys + 1);
  std::uint64_t found = 0;
  graph_.ctx->copy(&found, place_.data() + keys, sizeof(found));
  pairs_ = low_of(found);
  lists_ = high_of(found);
  pair_ = array<ChangedEdge>(pairs_);
  each(keys, TakePair{pair, sorted, flag_.data(), place_.data(), pair_.data()});
}

/// Those of the updates, and `more` behind them.
void Recording::bring_keys(const GraphBatch& batch, PairKey pair,
                           std::span<const std::uint64_t> more, std::uint64_t* to) const {
  const std::size_t updates = batch.edges.size();
  const KeyOfUpdate of_update{pair, batch.edges.data(), to};
  if (!graph_.gpu) {
    each(updates, of_update);
    std::ranges::copy(more, to + updates);
    return;
  }
  const Context& ctx = *graph_.ctx;
  const auto send = [&](std::span<const std::uint64_t> keys, std::uint64_t* place) {
    ctx.send(ctx.devices()[0], place, keys.data(), keys.size_bytes());
  };
  if (batch.edges_on_device) {
    each(updates, of_update);
  } else {
    Array<std::uint64_t> here(updates, ctx.host_memory());
    each_on_host(graph_.threads(), updates, kGrain,
                 KeyOfUpdate{pair, batch.edges.data(), here.data()});
    send(here.span(), to);
  }
  if (!more.empty()) send(more, to + updates);
}

/// @return which of the two has the result
const std::uint64_t* Recording::sort(Array<std::uint64_t>& key, Array<std::uint64_t>& other,
                                     PairKey pair) const {
  if (graph_.gpu) {
    graph_.gpu->sort_keys(key.data(), other.data(), key.size(), 2 * pair.bits);
    return other.data();
  }
  graph::parallel_radix_sort(
      key.data(), other.data(), key.size(), graph_.threads(), [](std::uint64_t k) { return k; },
      [](const std::uint64_t*, const std::uint64_t*) {});
  return key.data();
}

/// For what is asked after the batch.
void Recording::make_room() {
  gained_ = array<std::uint32_t>(std::size_t{pairs_} + 1);
  found_ = array<VertexId>(2);
  changes_->edge.values = array<ChangedEdge>(pairs_);
  changes_->list.values = array<ChangedList>(lists_);
  if (graph_.gpu || graph_.options.edges == EdgeKind::Simple) return;
  weight_.reserve(pairs_);
  for (const ChangedEdge& e : pair_.span()) weight_.push_back({e.source, e.target, 0, 0});
}

void Recording::count(bool after) {
  const CountPair one{graph_.view(false), graph_.vertices(), pair_.data(), after};
  if (graph_.gpu)
    each(pairs_, one);
  else
    each_on_host(graph_.threads(), pairs_, kSearchGrain, one);
  each_on_host(graph_.threads(), weight_.size(), kSearchGrain, [&](VertexId i) {
    ChangedWeight& its = weight_[i];
    (after ? its.after : its.before) = its.source < one.vertices
                                           ? smallest_weight(one.lists, its.source, its.target)
                                           : std::numeric_limits<Weight>::infinity();
  });
}

std::shared_ptr<const RecordedChanges> Recording::finish() {
  if (pairs_ == 0) return changes_;
  count(true);
  const std::size_t places = std::size_t{pairs_} + 1;
  ToldChanges<ChangedEdge>& edge = changes_->edge;
  ToldChanges<ChangedList>& list = changes_->list;
  VertexId *const edges = found_.data(), *const lists = edges + 1;
  each(places, TellChange{pair_.data(), pairs_, flag_.data()});
  sum(places);
  each(places, KeepChange{pair_.data(), pairs_, flag_.data(), place_.data(), edge.values.data(),
                          gained_.data(), edges});
  each(places, BeginsList{edge.values.data(), edges, flag_.data()});
  sum(places);
  each(places, TakeList{edge.values.data(), pairs_, flag_.data(), place_.data(), list.values.data(),
                        lists});
  each(lists_, MeasureList{graph_.view(false), graph_.vertices(), gained_.data(), edges, lists,
                           list.values.data()});
  std::array<VertexId, 2> found{};
  graph_.ctx->copy(found.data(), edges, sizeof(found));
  edge.count = found[0];
  list.count = found[1];
  std::erase_if(weight_, [](const ChangedWeight& w) { return w.before == w.after; });
  changes_->weight = std::move(weight_);
  return changes_;
}

}  // namespace fathom::dynamic

namespace fathom {

AppliedBatch DynamicGraph::apply_recorded(const GraphBatch& batch) {
  state_->check_at_rest();
  state_->check_in_one_memory("a record of what a batch changes");
  if (batch.edges_on_device && !state_->gpu) apply(batch);  // which refuses it
  dynamic::Recording recording(*state_, batch);
  const BatchReport report = apply(batch);
  AppliedBatch applied(recording.finish());
  applied.report = report;
  applied.graph = state_->number;
  return applied;
}

std::size_t AppliedBatch::changed_edges() const {
  return changes_ ? changes_->edge.count : 0;
}
std::span<const ChangedEdge> AppliedBatch::edges() const& {
  return changes_ ? changes_->edge.on_host(changes_->on_gpu) : std::span<const ChangedEdge>{};
}
std::span<const ChangedList> AppliedBatch::lists() const& {
  return changes_ ? changes_->list.on_host(changes_->on_gpu) : std::span<const ChangedList>{};
}
std::span<const ChangedWeight> AppliedBatch::weights() const& {
  return changes_ ? changes_->weight : std::span<const ChangedWeight>{};
}
dynamic::ChangesRef AppliedBatch::in_place() const {
  if (!changes_) return {};
  return {changes_->edge.values.data(), changes_->list.values.data(), changes_->edge.count,
          changes_->list.count};
}

}  // namespace fathom
