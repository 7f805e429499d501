// What a functor says of the edges it is ever shown, so that kernels for others are not compiled.
#pragma once

namespace fathom {

enum class OnlyEdges {
  Any,
  Streamed,  // pages that take turns: vertex state is split (InChunk)
  Dynamic,   // of graphs that change
};

/// A functor may declare `static constexpr OnlyEdges kOnlyEdges`.
template <class F>
inline constexpr OnlyEdges kOnlyEdges = OnlyEdges::Any;
template <class F>
requires requires {
  F::kOnlyEdges;
}
inline constexpr OnlyEdges kOnlyEdges<F> = F::kOnlyEdges;

}  // namespace fathom
