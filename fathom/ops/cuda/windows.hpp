// The windows of bucket() on a GPU, declared: defined in windows.cuh and instantiated once per
// functor, in a .cu file (FATHOM_CUDA_WINDOWS).
#pragma once

#include "fathom/exec/frontier.hpp"
#include "fathom/ops/window_supersteps.hpp"
#include "fathom/residency/edge_source.hpp"

namespace fathom::cuda {

/// Room of each list of near vertices. More of them are worth kernels of their own.
inline constexpr std::uint32_t kMostNear = 131072;
inline constexpr std::size_t kWindowStateBytes = 256;
/// Device memory of run_windows(): its state, and a list for even supersteps and one for odd ones.
inline constexpr std::size_t kWindowBytes =
    kWindowStateBytes + 2 * std::size_t{kMostNear} * sizeof(VertexId);

/// Takes device memory for run_windows(); false where there is too little.
FATHOM_API bool room_for_windows(const Device& device);

/// Runs walk_windows() over the edges that the pass shows, which are all, by a grid that fills the
/// device, and waits for it. The bitmaps are of `universe` vertices, in device memory. After
/// room_for_windows().
template <class Key, class F>
void run_windows(const Pass& pass, const F& f, Key* key, std::uint64_t* far,
                 std::uint64_t* near_even, std::uint64_t* near_odd, VertexId universe,
                 WindowState<Key>& state, std::uint32_t most_steps);

}  // namespace fathom::cuda
