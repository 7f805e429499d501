// intersect: for every edge (u, v), the vertices that are in the list of u and in the list of v.
//
// The list of u is marked in a bitmap of the worker's own, and the lists of all v in it are looked
// up there: one independent load per entry, no branches to mispredict. A list of v much longer
// than u's is searched instead.
#pragma once

#include <concepts>
#include <numeric>
#include <type_traits>
#include <variant>
#include <vector>

#include "fathom/exec/cpu/for_active.hpp"
#include "fathom/exec/replicas.hpp"
#include "fathom/ops/cuda/operators.hpp"
#include "fathom/ops/device_code.hpp"
#include "fathom/ops/intersect_lists.hpp"
#include "fathom/residency/edge_source.hpp"

namespace fathom {

/// credit(v, n) is called concurrently, from any executor: v is a corner of n more triples
/// (u, v, w); the calls for a vertex add up. Without kCredits they are left out.
template <class F>
concept IntersectFunctor = std::is_trivially_copyable_v<F> &&
    requires(const F f, VertexId v, std::uint64_t n) {
  { F::kCredits } -> std::convertible_to<bool>;
  f.credit(v, n);
};

namespace cpu {

/// What a worker keeps while it goes through the lists of one u.
///
/// Invariant: between two lists every mark and every hit is zero.
struct IntersectScratch {
  Array<std::uint64_t> mark;  // a bit per vertex: in the list of u
  Array<std::uint32_t> hits;  // [vertices] of w when credited: lists that w was found in
};

/// Whole lists come as one span.
template <EdgeView E>
typename E::Span list_of(const E& edges, VertexId v) {
  typename E::Span s;
  auto cursor = edges.begin(v);
  if (!edges.next(cursor, s)) s.size = 0;
  return s;
}

/// The first position in [from, s.size) whose target is at least v: doubling steps, then halving.
template <class S>
std::uint32_t lower_bound(const S& s, std::uint32_t from, VertexId v) {
  std::uint32_t step = 1, low = from, high = from;
  while (high < s.size && s.target(high) < v) {
    low = high + 1;
    high += step;
    step *= 2;
  }
  return first_at_least(s, v, low, high < s.size ? high : s.size);
}

/// Calls found(w) for the common targets of two ascending lists; a is much the shorter one.
template <class A, class B, class Found>
void search_common(const A& a, const B& b, const Found& found) {
  std::uint32_t at = 0;
  for (std::uint32_t i = 0; i < a.size; ++i) {
    const VertexId w = a.target(i);
    at = lower_bound(b, at, w);
    if (at == b.size) return;
    if (b.target(at) == w) found(w);
  }
}

/// All edges (u, v) of one u whose list of v the view `b` shows. Returns the number of triples.
template <EdgeView A, EdgeView B, IntersectFunctor F>
std::uint64_t intersect_list(const A& a, const B& b, const PairPass& pass, VertexId u, const F& f,
                             IntersectScratch& scratch) {
  const auto mine = list_of(a, u);
  if (mine.size < 2) return 0;
  std::uint64_t* const mark = scratch.mark.data();
  for (std::uint32_t i = 0; i < mine.size; ++i) {
    const VertexId w = mine.target(i);
    mark[w >> 6] |= std::uint64_t{1} << (w & 63);
  }
  std::uint64_t triples = 0;
  for (std::uint32_t i = 0; i < mine.size; ++i) {
    const VertexId v = mine.target(i);
    if (v < pass.b_first || v >= pass.b_last) continue;
    const auto other = list_of(b, v);
    std::uint64_t common = 0;
    if (other.size / kSearchFrom > mine.size) {
      search_common(mine, other, [&](VertexId w) {
        ++common;
        if constexpr (F::kCredits) ++scratch.hits[w];
      });
    } else {
      for (std::uint32_t j = 0; j < other.size; ++j) {
        const VertexId w = other.target(j);
        const std::uint64_t hit = mark[w >> 6] >> (w & 63) & 1;
        common += hit;
        if constexpr (F::kCredits)
          if (hit != 0) ++scratch.hits[w];
      }
    }
    triples += common;
    if constexpr (F::kCredits)
      if (common != 0) f.credit(v, common);
  }
  for (std::uint32_t i = 0; i < mine.size; ++i) {
    const VertexId w = mine.target(i);
    mark[w >> 6] = 0;
    if constexpr (F::kCredits) {
      if (scratch.hits[w] != 0) f.credit(w, scratch.hits[w]);
      scratch.hits[w] = 0;
    }
  }
  if constexpr (F::kCredits)
    if (triples != 0) f.credit(u, triples);
  return triples;
}

}  // namespace cpu

/// make(device) builds the functor from the device's replicas; they may differ afterwards: merge()
/// them. Lists are ascending and without duplicates. Returns the number of triples (u, v, w) with
/// v in the list of u and w in the lists of both.
/// Cost: for each edge (u, v) a read of v's list, or a search of it for each entry of u's; a bit
/// per vertex and worker (33 with credits). @throws Error(DoesNotFit), Error(Interrupted)
template <class Factory>
std::uint64_t intersect(const Context& ctx, EdgeSource& edges, const Factory& make) {
  using F = std::remove_cvref_t<decltype(make(ctx.devices()[0]))>;
  if constexpr (has_device_code<F>()) {
    if (ctx.on_gpu()) {
      std::vector<std::uint64_t> triples(ctx.devices().size());
      edges.sweep_pairs(ctx, [&](const PairPass& pass) {
        triples[static_cast<std::size_t>(pass.device.index())] +=
            cuda::intersect(pass, edges.edges(), edges.vertices(), make(pass.device));
      });
      return sum_among_ranks(ctx,
                             std::accumulate(triples.begin(), triples.end(), std::uint64_t{0}));
    }
  }
  const std::size_t n = edges.vertices();
  const auto workers = static_cast<std::size_t>(ctx.threads());
  // Scratch is allocated before frames are, which take what is left.
  std::vector<std::vector<cpu::IntersectScratch>> scratch(ctx.devices().size());
  for (const Device& device : ctx.devices()) {
    auto& mine = scratch[static_cast<std::size_t>(device.index())];
    for (std::size_t w = 0; w < workers; ++w)
      mine.push_back({Array<std::uint64_t>((n + 63) / 64, device.memory()),
                      Array<std::uint32_t>(F::kCredits ? n : 0, device.memory())});
    ctx.launch(device, [&] {
      for (cpu::IntersectScratch& s : mine) {
        std::fill(s.mark.begin(), s.mark.end(), 0);
        std::fill(s.hits.begin(), s.hits.end(), 0);
      }
    });
  }
  struct alignas(64) Count {
    std::uint64_t triples = 0;
  };
  std::vector<Count> count(workers);
  edges.sweep_pairs(ctx, [&](const PairPass& pass) {
    const F f = make(pass.device);
    auto& mine = scratch[static_cast<std::size_t>(pass.device.index())];
    FrontierRef all;
    all.universe = all.size = edges.vertices();
    ctx.launch(pass.device, [&] {
      const auto& a = std::get<FlatEdges>(pass.a);
      const auto& b = std::get<FlatEdges>(pass.b);
      cpu::for_active(ctx.threads(), all, pass.a_first, pass.a_last, [&](VertexId u, int worker) {
        if (ctx.task().stop_requested()) return;
        const auto w = static_cast<std::size_t>(worker);
        count[w].triples += cpu::intersect_list(a, b, pass, u, f, mine[w]);
      });
    });
  });
  ctx.task().check();
  std::uint64_t total = 0;
  for (const Count& c : count) total += c.triples;
  return sum_among_ranks(ctx, total);
}

}  // namespace fathom
