// Copies of whole lists, made by the device that has them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "fathom/residency/edge_view.hpp"

namespace fathom::cuda {

class Gpu;

/// Copies the entries of the list of each v with index[v] != kNotCached to position
/// index[v] << unit_shift of `to`. `far`: FlatEdges without weights, InterleavedEdges, or
/// NarrowEdges of which 2^unit_shift entries take whole words of 32 bits; all without a limit.
/// index: [vertices] in device memory. Waits until it is done.
void copy_lists(const Gpu& gpu, const AnyEdges& far, VertexId vertices, const std::uint32_t* index,
                std::uint32_t unit_shift, std::byte* to);

}  // namespace fathom::cuda
