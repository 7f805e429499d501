// The maximal independent set that asking vertices one by one finds, and the order of asking, as
// fathom/algorithms/mis/mis.hpp specifies it.
#pragma once

#include <cstdint>
#include <vector>

#include "tests/reference/graph.hpp"

namespace reference {

/// What v is asked by where vertices of few edges go first.
std::uint64_t degree_key(const Graph& g, std::uint64_t seed, Vertex v);

/// 1 or 0 per vertex. `by_degree`: vertices of few edges first.
std::vector<std::uint32_t> greedy_independent_set(const Graph& g, std::uint64_t seed,
                                                  bool by_degree);

}  // namespace reference
