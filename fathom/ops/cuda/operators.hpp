// The operators on a GPU, declared: defined in the .cuh files beside this one and instantiated once
// per functor, in a .cu file (FATHOM_CUDA_ADVANCE and its like). Everything runs in stream order.
#pragma once

#include "fathom/exec/frontier.hpp"
#include "fathom/ops/fold.hpp"
#include "fathom/residency/edge_source.hpp"

namespace fathom {
struct SmallRun;
}

namespace fathom::cuda {

/// Visits the edges of `in` that the pass shows. Accepted targets are set in `out` (may be null).
/// `edges`: how many edges the source has in all, which bounds its hubs.
template <class F>
void advance(const Pass& pass, EdgeId edges, const FrontierRef& in, const F& f, std::uint64_t* out);

/// Folds the lists of `in` that the pass shows; vertices whose commit says so are set in `out` (may
/// be null). Adds to `tally` unless the functor has none.
template <class F>
void gather(const Pass& pass, EdgeId edges, const FrontierRef& in, const F& f, std::uint64_t* out,
            TallyOf<F>& tally);

/// f(v) for each vertex of `in` that is in the range.
template <class F>
void compute(const Device& device, const FrontierRef& in, VertexRange range, const F& f);

/// Sets the vertices of `in` in the range for which f(v) in `out`, which is clear there.
template <class F>
void filter(const Device& device, const FrontierRef& in, VertexRange range, const F& f,
            std::uint64_t* out);

/// The combination of f(v) over the range; its order depends on the range alone.
template <class T, class F, class Combine>
T reduce(const Device& device, VertexRange range, T identity, const F& f, const Combine& combine);

/// The number of common targets over the edges (u, v) that the pass shows.
template <class F>
std::uint64_t intersect(const PairPass& pass, EdgeId edges, VertexId vertices, const F& f);

/// Takes device memory for run_small(); false where there is too little.
FATHOM_API bool room_for_small(const Device& device);

/// Small push supersteps in a row; see ops/run_small.hpp. After room_for_small().
template <class F>
SmallRun run_small(const Device& device, const AnyEdges& edges, Frontier& now,
                   std::uint32_t most_steps, const F& f);

}  // namespace fathom::cuda
