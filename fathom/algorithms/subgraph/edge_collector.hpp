// Brings the edges that satisfy a condition to the host, list by list, in batches that fit: counts
// them first, so that every list has a place before it is filled.
#pragma once

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "fathom/algorithms/subgraph/functors.hpp"
#include "fathom/core/error.hpp"
#include "fathom/core/function_ref.hpp"
#include "fathom/exec/ranks/replica_group.hpp"
#include "fathom/ops/advance.hpp"
#include "fathom/ops/gather.hpp"
#include "fathom/residency/graph.hpp"

namespace fathom {

/// The kept edges of u: targets ascending, weights empty or beside them.
using ListConsumer = FunctionRef<void(VertexId u, std::span<const VertexId> targets,
                                      std::span<const Weight> weights)>;

/// make(device) builds the condition (see functors.hpp) from the device's replicas.
/// Cost: two reads of the edges of the active vertices that have some to keep; 24 bytes per vertex
/// and device, and 4 (weighted 8) for each edge of a batch.
template <class Make>
class EdgeCollector {
 public:
  /// Counts. @throws Error(DoesNotFit); Error(Interrupted).
  EdgeCollector(const Context& ctx, const Graph& graph, Frontier& active, const Make& make,
                Recorder& record)
      : ctx_(ctx), graph_(graph), make_(make), record_(record), kept_(count(active)) {}

  /// [vertices]: how many edges will be shown.
  const Array<EdgeId>& kept() const { return kept_; }
  EdgeId total() const { return total_; }

  /// Shows all lists that are not empty, by ascending vertex. @throws Error(BadInput) when edges
  /// are not those that were counted.
  void collect(ListConsumer consume) {
    if (total_ == 0) return;
    if (graph_.weighted())
      collect_as<true>(consume);
    else
      collect_as<false>(consume);
  }

 private:
  // A batch of 8 MiB with weights: copies of such a size run at the link's full rate.
  static constexpr EdgeId kBatchEdges = EdgeId{1} << 20;
  using Keep = std::remove_cvref_t<std::invoke_result_t<Make, const Device&>>;

  Array<EdgeId> count(Frontier& active) {
    const VertexId n = graph_.vertices();
    VertexArray<EdgeId, MergeSum> kept(ctx_, n, 0);
    const EdgeId edges = graph_.out().degree_sum(ctx_, active);
    gather(ctx_, graph_.out(), active, nullptr, [&](const Device& d) {
      return CountKept<Keep>{make_(d), kept.on(d)};
    });
    merge(kept);
    record_.step(active.size(), edges, "count", graph_.traffic());
    Array<EdgeId> counts = std::move(kept).take();
    for (const EdgeId c : counts) {
      total_ += c;
      longest_ = std::max(longest_, c);
    }
    return counts;
  }

  template <bool kWeighted>
  void collect_as(ListConsumer consume) {
    const VertexId n = graph_.vertices();
    const EdgeId room = std::min(total_, std::max(longest_, kBatchEdges));
    VertexArray<EdgeId> place(ctx_, n + std::size_t{1}), used(ctx_, n, 0);
    VertexArray<VertexId> target(ctx_, room);
    VertexArray<Weight> weight(ctx_, kWeighted ? room : 0);
    {
      Array<EdgeId> places(n + std::size_t{1}, ctx_.host_memory());
      places[0] = 0;
      for (VertexId v = 0; v < n; ++v) places[v + std::size_t{1}] = places[v] + kept_[v];
      place.assign(std::as_const(places));
    }
    Frontier batch(ctx_, n);
    std::vector<VertexId> members;
    EdgeId base = 0;
    for (VertexId v = 0; v < n;) {
      members.clear();
      EdgeId edges = 0;
      for (; v < n && edges + kept_[v] <= room; ++v) {
        if (kept_[v] == 0) continue;
        members.push_back(v);
        edges += kept_[v];
      }
      if (members.empty()) continue;
      batch.assign(members);
      const EdgeId looked_through = graph_.out().degree_sum(ctx_, batch);
      advance(ctx_, graph_.out(), batch, nullptr, [&](const Device& d) {
        return StoreKept<Keep, kWeighted>{make_(d),   place.on(d),  base,
                                          used.on(d), target.on(d), weight.on(d)};
      });
      record_.step(members.size(), looked_through, "collect", graph_.traffic());
      show<kWeighted>(members, edges, used, target, weight, consume);
      base += edges;
    }
  }

  /// Copies a batch from all devices of all ranks and puts its lists together.
  template <bool kWeighted>
  void show(const std::vector<VertexId>& members, EdgeId edges, const VertexArray<EdgeId>& used,
            const VertexArray<VertexId>& target, const VertexArray<Weight>& weight,
            ListConsumer consume) const {
    struct Part {
      Array<EdgeId> used;
      Array<VertexId> target;
      Array<Weight> weight;
    };
    const VertexId first = members.front();
    std::vector<Part> parts;
    ReplicaGroup& group = ctx_.group();
    const std::size_t devices = ctx_.devices().size();
    for (std::size_t replica = 0; replica < ctx_.replicas(); ++replica) {
      const Device& d = ctx_.devices()[replica % devices];
      Part part{Array<EdgeId>(std::size_t{members.back()} - first + 1, ctx_.host_memory()),
                Array<VertexId>(edges, ctx_.host_memory()),
                Array<Weight>(kWeighted ? edges : 0, ctx_.host_memory())};
      const int rank = static_cast<int>(replica / devices);
      if (rank == group.rank()) {
        ctx_.copy(part.used.data(), used.on(d) + first, part.used.size() * sizeof(EdgeId));
        ctx_.copy(part.target.data(), target.on(d), edges * sizeof(VertexId));
        if (kWeighted) ctx_.copy(part.weight.data(), weight.on(d), edges * sizeof(Weight));
      }
      group.broadcast(part.used.data(), part.used.size() * sizeof(EdgeId), rank);
      group.broadcast(part.target.data(), edges * sizeof(VertexId), rank);
      if (kWeighted) group.broadcast(part.weight.data(), edges * sizeof(Weight), rank);
      parts.push_back(std::move(part));
    }
    std::vector<std::pair<VertexId, Weight>> list;
    std::vector<VertexId> targets;
    std::vector<Weight> weights;
    EdgeId at = 0;
    for (const VertexId u : members) {
      list.clear();
      EdgeId used_of_all = 0;
      for (const Part& part : parts) used_of_all += part.used[u - first];
      if (used_of_all != kept_[u]) refuse_lists();
      for (const Part& part : parts)
        for (EdgeId i = 0; i < part.used[u - first]; ++i)
          list.emplace_back(part.target[at + i], kWeighted ? part.weight[at + i] : Weight{1});
      at += kept_[u];
      if (!std::is_sorted(list.begin(), list.end())) std::sort(list.begin(), list.end());
      targets.clear();
      weights.clear();
      for (const auto& [v, w] : list) {
        targets.push_back(v);
        if (kWeighted) weights.push_back(w);
      }
      consume(u, targets, weights);
    }
  }

  /// A file may keep its lists twice, with weights and without them.
  [[noreturn]] static void refuse_lists() {
    throw Error(ErrorCode::BadInput,
                "the graph's lists with weights and those without them are of different edges: "
                "`fathom verify` says where");
  }

  const Context& ctx_;
  const Graph& graph_;
  const Make& make_;
  Recorder& record_;
  EdgeId total_ = 0, longest_ = 0;
  Array<EdgeId> kept_;
};

}  // namespace fathom
