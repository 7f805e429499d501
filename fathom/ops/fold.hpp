// The other traversal: folds the edges of one vertex into one value.
#pragma once

#include <concepts>
#include <type_traits>

#include "fathom/core/lanes.hpp"
#include "fathom/ops/expand.hpp"
#include "fathom/residency/edge_view.hpp"

namespace fathom {

/// map() is called once per edge; combine() is associative and commutative; commit() adds a partial
/// result to the vertex and returns whether it joins the next frontier.
///
/// A vertex may be committed several times: once per pass and per device. commit() therefore
/// accumulates, never overwrites. Commits of one vertex on one device are never concurrent on a
/// CPU; on a GPU several groups may share a hub and commit parts of its list, so commit() uses
/// AtomicRef. A functor with a Tally is the exception: the parts are combined first, and each
/// vertex is committed once per pass.
///
/// Optional: `bool done(Value)`: the value cannot change any more, stop reading; and
/// `bool open(u)`: false when u needs no more edges (settled in an earlier pass); and
/// `void add(Value&, u, v, w)`: combine(value, map(u, v, w)) in place, for wide values; and
/// `using Tally`: a sum over all commits, empty when default-constructed, added with `+`; commit()
/// then takes a third argument, the Tally& of its worker; and
/// `using Chunk` with `Chunk chunk(u, v, w)`: a narrower type in which up to kChunkEdges edges are
/// added up before they are added to the Value. Fewer instructions per edge are more loads in
/// flight.
template <class F>
concept FoldFunctor = std::is_trivially_copyable_v<F> &&
    requires(const F f, VertexId u, VertexId v, Weight w, typename F::Value a) {
  { f.identity() } -> std::same_as<typename F::Value>;
  { f.map(u, v, w) } -> std::same_as<typename F::Value>;
  { f.combine(a, a) } -> std::same_as<typename F::Value>;
};

namespace detail {

struct NoTally {
  FATHOM_HD NoTally operator+(NoTally) const { return {}; }
};
template <class F>
struct TallyOf {
  using type = NoTally;
};
template <class F>
requires requires {
  typename F::Tally;
}
struct TallyOf<F> {
  using type = typename F::Tally;
};

template <class F>
FATHOM_HD_INLINE void fold_edge(typename F::Value& value, VertexId u, VertexId v, Weight w,
                                const F& f) {
  if constexpr (requires { f.add(value, u, v, w); })
    f.add(value, u, v, w);
  else
    value = f.combine(value, f.map(u, v, w));
}

/// Folds a span on one lane into several partial results: one chain of dependent additions takes
/// their latency per edge.
template <class S, class F>
FATHOM_HD_INLINE void fold_span(typename F::Value& value, VertexId u, const S& s, const F& f) {
  auto b = f.identity(), c = b, d = b;
  std::size_t i = 0;
  for (; i + 4 <= s.size; i += 4) {
    fold_edge(value, u, s.target(i), s.weight(i), f);
    fold_edge(b, u, s.target(i + 1), s.weight(i + 1), f);
    fold_edge(c, u, s.target(i + 2), s.weight(i + 2), f);
    fold_edge(d, u, s.target(i + 3), s.weight(i + 3), f);
  }
  for (; i < s.size; ++i) fold_edge(value, u, s.target(i), s.weight(i), f);
  value = f.combine(f.combine(value, b), f.combine(c, d));
}

// Two chains of 8: a float sum of as many terms of one sign is rounded 8 times.
inline constexpr std::size_t kChunkEdges = 16;

template <class S, class F>
requires requires {
  typename F::Chunk;
}
FATHOM_HD_INLINE void fold_span(typename F::Value& value, VertexId u, const S& s, const F& f) {
  for (std::size_t i = 0; i < s.size;) {
    const std::size_t end = s.size - i < kChunkEdges ? s.size : i + kChunkEdges;
    typename F::Chunk a{}, b{};
    for (; i + 2 <= end; i += 2) {
      a += f.chunk(u, s.target(i), s.weight(i));
      b += f.chunk(u, s.target(i + 1), s.weight(i + 1));
    }
    if (i < end) {
      a += f.chunk(u, s.target(i), s.weight(i));
      ++i;
    }
    value = f.combine(value, static_cast<typename F::Value>(a + b));
  }
}

}  // namespace detail

/// Whether a fold may end before the last edge of a list.
template <class F>
inline constexpr bool kCanStop = requires(const F f, typename F::Value value) {
  f.done(value);
};

template <class F>
using TallyOf = typename detail::TallyOf<F>::type;

/// The value of the edges of u that `cursor` points at. Collective: every lane of the group calls
/// it; the result is valid on every lane. Reads start at a 128-byte border, as in expand().
template <LaneGroup G, EdgeView E, FoldFunctor F>
FATHOM_HD_INLINE typename F::Value fold_value(const G& g, const E& edges, typename E::Cursor cursor,
                                              VertexId u, const F& f) {
  auto value = f.identity();
  constexpr bool kWide = sizeof(value) > 16;  // would not stay in registers four times
  typename E::Span s;
  bool stop = false;
  while (!stop && next_span(g, edges, cursor, s)) {
    if constexpr (!kCanStop<F> && !kWide && std::is_same_v<G, OneLane>) {
      detail::fold_span(value, u, s, f);
    } else {
      const std::uint32_t lead = idle_lanes(g, s.lead());
      for (std::uint32_t base = 0; base < s.size + lead && !stop; base += g.size()) {
        const std::uint32_t i = base + g.rank() - lead;
        note_round(g, s, base, lead, kReadsWeights<F>);
        if (i < s.size) detail::fold_edge(value, u, s.target(i), s.weight(i), f);
        if constexpr (kCanStop<F>) stop = g.ballot(f.done(value)) != 0;
      }
    }
  }
  if (g.size() > 1)
    value = reduce(g, value, [&](const auto& a, const auto& b) { return f.combine(a, b); });
  return value;
}

/// Commits a value on behalf of the group; returns on every lane whether u joins.
template <LaneGroup G, FoldFunctor F>
FATHOM_HD bool commit(const G& g, VertexId u, const typename F::Value& value, const F& f,
                      [[maybe_unused]] TallyOf<F>& tally) {
  bool joins = false;
  if (g.rank() == 0) {
    if constexpr (std::is_same_v<TallyOf<F>, detail::NoTally>)
      joins = f.commit(u, value);
    else
      joins = f.commit(u, value, tally);
  }
  return g.shfl(joins ? 1u : 0u, 0) != 0;
}

/// Whether u needs any of its edges. Collective: lanes must not differ where another group settles
/// u meanwhile.
template <LaneGroup G, FoldFunctor F>
FATHOM_HD bool is_open([[maybe_unused]] const G& g, [[maybe_unused]] VertexId u,
                       [[maybe_unused]] const F& f) {
  if constexpr (requires { f.open(u); })
    return g.shfl(f.open(u) ? 1u : 0u, 0) != 0;
  else
    return true;
}

/// Folds the list of u and commits its value. Collective; the result is valid on every lane.
template <LaneGroup G, EdgeView E, FoldFunctor F>
FATHOM_HD bool fold(const G& g, const E& edges, VertexId u, const F& f, TallyOf<F>& tally) {
  if (!is_open(g, u, f)) return false;
  return commit(g, u, fold_value(g, edges, edges.begin(u), u, f), f, tally);
}

template <LaneGroup G, EdgeView E, FoldFunctor F>
requires std::is_same_v<TallyOf<F>, detail::NoTally> FATHOM_HD bool fold(const G& g, const E& edges,
                                                                         VertexId u, const F& f) {
  detail::NoTally none;
  return fold(g, edges, u, f, none);
}

}  // namespace fathom
