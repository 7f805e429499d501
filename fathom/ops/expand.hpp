// The traversal itself, one list at a time: no CUDA, no threads, no containers. The CPU loops, the
// kernels and the tests call it with their own lane group.
#pragma once

#include <concepts>
#include <type_traits>

#include "fathom/core/lanes.hpp"
#include "fathom/ops/link_meter.hpp"
#include "fathom/ops/list_length.hpp"
#include "fathom/residency/edge_view.hpp"

namespace fathom {

/// visit(u, v, w, i) in place of visit(u, v, w): the edge is the i-th of u's list. Of advance() and
/// bucket(), where vertex state is not split.
template <class F>
concept ReadsPlaces = requires(const F f, VertexId u, VertexId v, Weight w, EdgeId i) {
  { f.visit(u, v, w, i) } -> std::same_as<bool>;
};
/// visit(u, v, w) is called once per edge (u, v), concurrently, in any order, from any executor. It
/// returns true when v joins the next frontier; exactly one call per superstep may say so for v
/// unless the operator is told otherwise.
template <class F>
concept EdgeFunctor = std::is_trivially_copyable_v<F> &&
    (ReadsPlaces<F> || requires(const F f, VertexId u, VertexId v, Weight w) {
      { f.visit(u, v, w) } -> std::same_as<bool>;
    });

/// A functor that reads weights declares `static constexpr bool kReadsWeights = true`, so that
/// sources can show {target, weight} pairs.
template <class F>
inline constexpr bool kReadsWeights = false;
template <class F>
requires requires {
  F::kReadsWeights;
}
inline constexpr bool kReadsWeights<F> = F::kReadsWeights;

/// Visits the edges of u that `cursor` points at, one lane per edge. emit(g, v, keep) is called by
/// all lanes together, once per round. The first round starts at a 128-byte border, so that a full
/// warp reads whole lines, which zero-copy reads over the link depend on (EMOGI, section 4.3).
template <LaneGroup G, EdgeView E, EdgeFunctor F, class Emit>
FATHOM_HD_INLINE void expand(const G& g, const E& edges, typename E::Cursor cursor, VertexId u,
                             const F& f, const Emit& emit) {
  typename E::Span s;
  while (next_span(g, edges, cursor, s)) {
    [[maybe_unused]] EdgeId before = 0;  // in the whole list, which `cursor` may be a piece of
    if constexpr (ReadsPlaces<F>) before = shown_before(edges, u, cursor) - s.size;
    const std::uint32_t lead = idle_lanes(g, s.lead());
    for (std::uint32_t base = 0; base < s.size + lead; base += g.size()) {
      const std::uint32_t i = base + g.rank() - lead;  // wraps for the lanes before the span
      note_round(g, s, base, lead, kReadsWeights<F>);
      bool keep = false;
      VertexId v = kNoVertex;
      if (i < s.size) {
        v = s.target(i);
        if constexpr (ReadsPlaces<F>)
          keep = f.visit(u, v, s.weight(i), before + i);
        else
          keep = f.visit(u, v, s.weight(i));
      }
      emit(g, v, keep);
    }
  }
}

/// The same for the whole list of u.
template <LaneGroup G, EdgeView E, EdgeFunctor F, class Emit>
FATHOM_HD_INLINE void expand(const G& g, const E& edges, VertexId u, const F& f, const Emit& emit) {
  expand(g, edges, edges.begin(u), u, f, emit);
}

}  // namespace fathom
