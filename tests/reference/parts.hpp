// Parts of a graph: what is near some vertices, what is between given ones.
#pragma once

#include <map>
#include <utility>

#include "tests/reference/graph.hpp"

namespace reference {

/// Follow arcs as they are, or backwards, or both.
enum class Follow { Out, In, Both };

/// Hops from the nearest source, 2^32 - 1 beyond `limit`.
std::vector<std::uint32_t> hops_within(const Graph& g, const std::vector<Vertex>& sources,
                                       std::uint32_t limit, Follow follow);

/// The arcs between vertices for which `member`: sorted (u, v, weight) in the graph's own ids.
std::vector<Edge> induced_arcs(const Graph& g, const std::vector<bool>& member);

/// The edges between different sets, by pair of them; 2^32 - 1 is no set. An edge of an undirected
/// graph counts for the pair in ascending order.
std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> edges_across(
    const Graph& g, const std::vector<std::uint32_t>& set);

}  // namespace reference
