// The other traversal: folds the edges of one vertex into one value.
#pragma once

#include <concepts>
#include <type_traits>

#include "fathom/core/lanes.hpp"
#include "fathom/residency/edge_view.hpp"

namespace fathom {

/// map() is called once per edge; combine() is associative and commutative; commit() adds a partial
/// result to the vertex and returns whether it joins the next frontier.
///
/// A vertex may be committed several times: once per pass and per device. commit() therefore
/// accumulates, never overwrites. Commits of one vertex on one device are never concurrent on a
/// CPU; on a GPU several groups may share a hub, so commit() uses AtomicRef.
///
/// Optional: `bool done(Value)`: the value cannot change any more, stop reading; and
/// `bool open(u)`: false when u needs no more edges (settled in an earlier pass); and
/// `void add(Value&, u, v, w)`: combine(value, map(u, v, w)) in place, for wide values.
template <class F>
concept FoldFunctor = std::is_trivially_copyable_v<F> &&
    requires(const F f, VertexId u, VertexId v, Weight w, typename F::Value a) {
  { f.identity() } -> std::same_as<typename F::Value>;
  { f.map(u, v, w) } -> std::same_as<typename F::Value>;
  { f.combine(a, a) } -> std::same_as<typename F::Value>;
  { f.commit(u, a) } -> std::same_as<bool>;
};

/// Collective: every lane of the group calls it; the result is valid on every lane.
template <LaneGroup G, EdgeView E, FoldFunctor F>
FATHOM_HD bool fold(const G& g, const E& edges, VertexId u, const F& f) {
  if constexpr (requires { f.open(u); })
    if (!f.open(u)) return false;
  auto value = f.identity();
  auto cursor = edges.begin(u);
  typename E::Span s;
  bool stop = false;
  while (!stop && edges.next(cursor, s)) {
    for (std::uint32_t base = 0; base < s.size && !stop; base += g.size()) {
      const std::uint32_t i = base + g.rank();
      if (i < s.size) {
        if constexpr (requires { f.add(value, u, s.target(i), s.weight(i)); })
          f.add(value, u, s.target(i), s.weight(i));
        else
          value = f.combine(value, f.map(u, s.target(i), s.weight(i)));
      }
      if constexpr (requires { f.done(value); }) stop = g.ballot(f.done(value)) != 0;
    }
  }
  if (g.size() > 1)
    value = reduce(g, value, [&](const auto& a, const auto& b) { return f.combine(a, b); });
  bool joins = false;
  if (g.rank() == 0) joins = f.commit(u, value);
  return g.shfl(joins ? 1u : 0u, 0) != 0;
}

}  // namespace fathom
