// What summaries say of sets that vertices are divided into.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fathom/core/platform.hpp"

namespace fathom {

/// The sizes of the largest sets, descending; a few of them. `label`: of each vertex, a vertex that
/// names its set.
std::vector<std::uint64_t> largest_sizes(std::span<const VertexId> label);

/// "  sizes: 5, 3, ...", of `sets` in all; empty when there is none.
std::string sizes_line(const std::vector<std::uint64_t>& sizes, std::uint64_t sets);

}  // namespace fathom
