// Copies of groups of packed lists, made by the device that keeps them nearer.
#pragma once

#include <cstdint>

#include "fathom/residency/packed/packed_edges.hpp"

namespace fathom::cuda {

class Gpu;

/// Copies each group g with kNear in place[g], its weights in front of it where `weights` says so
/// and `from` has any, to where that says in `to`. `from`: no group of it is near, and its places
/// have one more element, where the last group ends. place: [groups] in device memory. Waits until
/// it is done.
void copy_groups(const Gpu& gpu, const PackedEdges& from, const std::uint64_t* place, bool weights,
                 std::uint32_t* to);

}  // namespace fathom::cuda
