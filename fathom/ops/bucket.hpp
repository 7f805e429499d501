// bucket: applies a functor to the edges of pending vertices in order of a key that only falls,
// window by window, until nothing is pending. (Delta-stepping: Meyer and Sanders, J. Algorithms
// 49(1), 2003.)
//
// Where all edges are in sight of one host, pending vertices sit in thread-local bins and a worker
// drains what it finds itself in the current window without waiting for the others (bucket fusion:
// Zhang et al., CGO 2020). Where they are in sight of one GPU, one kernel goes through the windows
// that hold few vertices (window_supersteps.hpp). Elsewhere they are a bitmap, and a superstep
// takes those within the window. Where the bins have no memory for a vertex, it waits in a bitmap
// until they are empty, and where they have none at all, windows go on. The keys at the end are the
// same.
#pragma once

#include <limits>

#include "fathom/core/atomic.hpp"
#include "fathom/exec/cpu/bins.hpp"
#include "fathom/exec/report.hpp"
#include "fathom/ops/advance.hpp"
#include "fathom/ops/bucket_functors.hpp"
#include "fathom/ops/compute.hpp"
#include "fathom/ops/cuda/windows.hpp"
#include "fathom/ops/split_operators.hpp"

namespace fathom {
namespace cpu {

// A worker keeps at most so many blocks of the current bin to itself (about GAP's 1000 vertices);
// a longer chain is worth sharing.
inline constexpr int kFusedBlocks = 16;

template <class Block>
bool longer_than(const Block* chain, int blocks) {
  for (; chain && blocks >= 0; chain = chain->next) --blocks;
  return blocks < 0;
}

/// What one worker did in a superstep; a cache line of its own.
struct alignas(64) BinWork {
  std::uint64_t vertices = 0, edges = 0;
  bool refused = false;  // vertices were left to the bitmap
};

template <EdgeView E, EdgeFunctor F, class Key>
class BinDrain {
 public:
  using Block = BinBlock<Key>;

  BinDrain(const Context& ctx, const E& edges, const EdgeId* offset, const F& f, Key* key,
           Bins<Key>& bins, std::uint64_t* refused)
      : edges_(edges),
        offset_(offset),
        f_(f),
        key_(key),
        bins_(bins),
        refused_(refused),
        threads_(ctx.threads()) {
    work_.resize(static_cast<std::size_t>(threads_));
  }

  /// Drains one bin, except what is left for sharing in another superstep.
  BinWork run(std::size_t bin) {
    bins_.collect(bin, blocks_);
    parallel_for(
        threads_, blocks_.size(), 1,
        [&](std::size_t i, std::size_t, int worker) { drain(blocks_[i], worker, bin); },
        [&](int worker) {
          WorkerBins<Key>& mine = bins_.of(worker);
          while (mine.chain(bin) && (threads_ == 1 || !longer_than(mine.chain(bin), kFusedBlocks)))
            for (Block *b = mine.take(bin), *next; b; b = next) {
              next = b->next;
              drain(b, worker, bin);
            }
        });
    BinWork total;
    for (BinWork& w : work_) {
      total.vertices += w.vertices;
      total.edges += w.edges;
      total.refused |= w.refused;
      w = {};
    }
    return total;
  }

 private:
  static constexpr std::uint32_t kAhead = 8;

  void drain(Block* block, int worker, std::size_t bin) {
    WorkerBins<Key>& mine = bins_.of(worker);
    BinWork work;
    const E edges = edges_;  // locals stay in registers
    const F f = f_;
    const EdgeId* const offset = offset_;
    Key* const key = key_;
    const std::uint32_t size = block->size;
    for (std::uint32_t i = 0; i < size; ++i) {
      if (i + kAhead < size) {  // entries are in no order
        const VertexId ahead = block->entry[i + kAhead].vertex;
        __builtin_prefetch(key + ahead);
        __builtin_prefetch(offset + ahead);
      }
      const VertexId u = block->entry[i].vertex;
      if (AtomicRef(key[u]).load() < block->entry[i].key) continue;  // stale
      ++work.vertices;
      work.edges += offset[u + 1] - offset[u];
      expand(OneLane{}, edges, u, f, [&](const OneLane&, VertexId v, bool lowered) {
        if (!lowered || mine.push(v, AtomicRef(key[v]).load(), bin)) return;
        AtomicRef(refused_[v / 64]).fetch_or(std::uint64_t{1} << v % 64);
        work.refused = true;
      });
    }
    BinWork& all = work_[static_cast<std::size_t>(worker)];
    all.vertices += work.vertices;
    all.edges += work.edges;
    all.refused |= work.refused;
    mine.recycle(block);
  }

  E edges_;
  const EdgeId* offset_;
  F f_;
  Key* key_;
  Bins<Key>& bins_;
  std::uint64_t* refused_;  // a bit per vertex
  int threads_;
  std::vector<Block*> blocks_;
  std::vector<BinWork> work_;
};

/// The pending vertices whose keys are less than `reach` above the lowest of them, and what comes
/// of them. Pending then are the others, and what there was no memory for. Returns whether any
/// went into bins.
template <class Key, EdgeView E, EdgeFunctor F>
bool bucket(const Context& ctx, const E& view, const EdgeId* offset, const F& f, Key* key,
            Frontier& pending, Key width, Key reach, Recorder& record, const EdgeSource& edges) {
  Frontier left(ctx, pending.universe());
  left.begin_bitmap();
  std::uint64_t* const bits = left.bits(ctx.devices()[0]);
  bool any_left = false;
  const auto refused = [&](VertexId v) {
    bits[v / 64] |= std::uint64_t{1} << v % 64;
    any_left = true;
  };
  Key lowest = std::numeric_limits<Key>::infinity();
  pending.for_each_on_host([&](std::size_t v) { lowest = std::min(lowest, key[v]); });
  Bins<Key> bins(ctx.threads(), width, ctx.host_memory());
  bins.open(lowest);
  bool any_taken = false;
  pending.for_each_on_host([&](std::size_t v) {
    if (key[v] - lowest < reach && bins.of(0).push(static_cast<VertexId>(v), key[v], 0))
      any_taken = true;
    else
      refused(static_cast<VertexId>(v));
  });
  BinDrain<E, F, Key> drain(ctx, view, offset, f, key, bins, bits);
  for (std::size_t bin; (bin = bins.lowest(key, refused)) != Bins<Key>::kNone;) {
    const BinWork work = drain.run(bin);
    any_left |= work.refused;
    record.step(work.vertices, work.edges, "fused", edges.traffic());
  }
  left.end_bitmap(true);
  pending.clear();
  if (any_left) pending = std::move(left);
  return any_taken;
}

/// Round after round, for as long as bins take anything. A round reaches farther than the one
/// before: near vertices come first, and there are few rounds.
template <class Key, EdgeView E, EdgeFunctor F>
void bucket_rounds(const Context& ctx, const E& view, const EdgeId* offset, const F& f, Key* key,
                   Frontier& pending, Key width, Recorder& record, const EdgeSource& edges) {
  Key reach = std::numeric_limits<Key>::infinity(), next = width;
  while (!pending.empty() &&
         bucket(ctx, view, offset, f, key, pending, width, reach, record, edges)) {
    reach = next;
    next *= 2;
  }
}

}  // namespace cpu

namespace detail {

inline EdgeId degree_sum(const Context& ctx, EdgeSource& edges, const Frontier& frontier) {
  return edges.degree_sum(ctx, frontier);
}
inline const Context& context_of(const Context& ctx) {
  return ctx;
}
inline const Context& context_of(const Split& split) {
  return split.context();
}

/// Supersteps over the pending vertices within a window, as a bitmap. `where`: a Context, or the
/// Split of the keys.
template <class Where, class Keys, class Key, class Factory>
void run_windows(Where& where, EdgeSource& edges, Keys& key, Frontier& pending, Key width,
                 const Factory& make, Recorder& record) {
  const Context& ctx = context_of(where);
  constexpr Key kFar = std::numeric_limits<Key>::infinity();
  Frontier now(ctx, pending.universe()), lowered(ctx, pending.universe());
  pending.make_bitmap();
  Key bound = 0;
  while (!pending.empty()) {
    filter(where, pending, now, [&](const Device& d) {
      return WithinBound<Key>{key.on(d), bound};
    });
    if (now.empty()) {
      bound = width + reduce(
                          where, pending.universe(), kFar,
                          [&](const Device& d) {
                            return PendingKey<Key>{key.on(d), pending.on(d)};
                          },
                          MergeMin{});
      continue;
    }
    pending.subtract(now);
    const EdgeId out_edges = degree_sum(where, edges, now);
    advance(where, edges, now, &lowered, make, Emit::Often);
    key.merge(&lowered);
    pending.unite(lowered);
    record.step(now.size(), out_edges, "window", edges.traffic());
  }
}

/// Windows that follow each other in one kernel, and supersteps that are too large for it in
/// between. The host waits for each of these alone. Does nothing, and returns false, where there is
/// no device memory for it.
template <class Key, class Factory>
bool run_windows_on_gpu(const Context& ctx, EdgeSource& edges, VertexArray<Key, MergeMin>& key,
                        Frontier& pending, Key width, const Factory& make, Recorder& record) {
  // A kernel ends after so many supersteps at the latest, for the sake of who wants to interrupt
  // it.
  constexpr std::uint32_t kMostSupersteps = 1 << 14;
  constexpr Key kFar = std::numeric_limits<Key>::infinity();
  using F = std::remove_cvref_t<decltype(make(ctx.devices()[0]))>;
  const Device& device = ctx.devices()[0];
  const SweepOptions options{kWholeList, kReadsWeights<F>};
  Frontier far(ctx, pending.universe()), other(ctx, pending.universe());
  Frontier *near = &pending, *next = &other;
  for (Frontier* const empty : {&far, &other}) {
    empty->begin_bitmap();
    empty->end_bitmap();
  }
  pending.make_bitmap();
  if (!cuda::room_for_windows(device)) return false;  // last: bitmaps cannot do without
  WindowState<Key> state{};
  state.width = state.least_width = width;
  for (Key& lowest : state.lowest) lowest = kFar;
  state.rest = kRest;
  state.step_cost = kStepCost;
  state.vertex_cost = 1 + static_cast<float>(edges.edges()) / kEdgesPerCost /
                              static_cast<float>(std::max<VertexId>(pending.universe(), 1));
  for (;;) {
    edges.sweep(ctx, *near, options, [&](const Pass& pass) {
      cuda::run_windows(pass, make(device), key.on(device), far.bits(device), near->bits(device),
                        next->bits(device), pending.universe(), state, kMostSupersteps);
    });
    if (state.steps % 2 != 0) std::swap(near, next);
    if (state.steps > 0) record.step(state.vertices, state.edges, "fused", edges.traffic());
    if (state.done()) break;
    const VertexId left = state.left();
    if (left <= cuda::kMostNear && !state.left_long()) continue;
    near->end_bitmap();  // not counted
    const EdgeId out_edges = degree_sum(ctx, edges, *near);
    advance(ctx, edges, *near, next, make, Emit::Often);
    record.step(near->size(), out_edges, "window", edges.traffic());
    state.took(near->size());
    near->begin_bitmap();  // clears it
    near->end_bitmap();
    std::swap(near, next);
  }
  pending.clear();
  return true;
}

}  // namespace detail

/// Runs until nothing is pending. make(device) builds an edge functor whose visit(u, v, w) lowers
/// key[v] to something derived from key[u], never below it, and returns whether it did.
///
/// @param key      at least 0, one per vertex; replicas merge by minimum, as this does itself.
/// @param pending  the vertices whose edges are to be visited first; left empty.
/// @param width    of a window, positive; a matter of speed alone. Narrow windows visit fewer edges
///                 twice, wide ones need fewer supersteps. One GPU that has all edges in sight
///                 tries wider ones, and keeps to those that pay.
/// Cost: one read of a vertex's edges per window in which its key fell, or a little more.
template <class Key, class Factory>
void bucket(const Context& ctx, EdgeSource& edges, VertexArray<Key, MergeMin>& key,
            Frontier& pending, Key width, const Factory& make, Recorder& record) {
  using F = std::remove_cvref_t<decltype(make(ctx.devices()[0]))>;
  const Device& first = ctx.devices()[0];
  if (!ctx.separate())
    if (const auto whole = edges.whole({kWholeList, kReadsWeights<F>})) {
      visit_host_edges(
          [&](const auto& view) {
            cpu::bucket_rounds(ctx, view, edges.offsets(first), make(first), key.on(first), pending,
                               width, record, edges);
          },
          *whole);
      if (pending.empty()) return;
    }

  if constexpr (has_device_code<F>())
    if (ctx.on_gpu() && ctx.replicas() == 1 && edges.comes_whole() &&
        detail::run_windows_on_gpu(ctx, edges, key, pending, width, make, record))
      return;
  detail::run_windows(ctx, edges, key, pending, width, make, record);
}

/// The same where keys may be split; make() then gives functors that read keys at sources apart.
template <class Key, class Factory, class SplitFactory>
void bucket(Split& split, EdgeSource& edges, SplitArray<Key, MergeMin>& key, Frontier& pending,
            Key width, const Factory& make, const SplitFactory& make_split, Recorder& record) {
  if (split.on())
    detail::run_windows(split, edges, key, pending, width, make_split, record);
  else
    bucket(split.context(), edges, key.whole(), pending, width, make, record);
}

}  // namespace fathom
