// Greedy vertex colouring: no edge joins two vertices of one colour.
#pragma once

#include <cstdint>

#include "fathom/core/array.hpp"
#include "fathom/exec/context.hpp"
#include "fathom/exec/report.hpp"
#include "fathom/exec/vertex_array.hpp"
#include "fathom/residency/graph.hpp"

namespace fathom {

struct ColorOptions {
  std::uint64_t seed = 0;
};

struct ColorResult {
  Array<std::uint32_t> color;  // [vertices]: 0 to colors - 1
  std::uint32_t colors = 0;
  std::uint32_t rounds = 0;
  RunReport report;
};

/// The colouring that a greedy choice finds: vertices are asked one by one, those of many edges
/// first, and each takes the smallest colour that no neighbour has. Edges count whatever their
/// direction; loops do not matter (with them nothing could be coloured).
///
/// The order is that of maximal_independent_set() by degree, from its end: smaller values of
/// 2^32 - 1 - k first, where k is the key there (its degree classes, its hash of seed and id),
/// equal ones by id.
///
/// @return  unique for a seed, on every residency, executor and number of devices.
/// @throws Error(DoesNotFit), also for a vertex of more than 2^32 - 2 edges (those that are not
///         stored with it are not checked); Error(Interrupted).
/// Cost: two reads of each edge: to count whom a vertex waits for, and to tell those that wait. A
/// round for each vertex of the longest path along which the order falls: a vertex has its colour
/// in the round after the last of its neighbours that goes before. One whose neighbours have the
/// first 64 colours reads its list again for each 64 more. Directed graphs without in-edges: lists
/// of all vertices without a colour once per round, up to the first neighbour that has none and
/// goes before, and everything for each 64 colours more in a round. 16 bytes per vertex and device
/// (20 with several devices), and a few bits. Source: Jones and Plassmann, "A parallel graph
/// coloring heuristic", SIAM J. Sci. Comput. 14(3), 1993; the order: Hasenplaugh, Kaler, Schardl
/// and Leiserson, "Ordering heuristics for parallel graph coloring" (largest log-degree first),
/// SPAA 2014.
FATHOM_API ColorResult color_vertices(const Context& ctx, const Graph& graph,
                                      const ColorOptions& options = {});

/// Checks a result without colouring again: the ends of an edge have different colours, and a
/// vertex has neighbours of each smaller colour that go before it, which only the greedy colouring
/// has.
/// @throws Error(VerificationFailed) naming the vertex and what is wrong.
/// Cost: one read of each edge, and for each 64 colours more one of those at vertices that have
/// them; two without in-edges. 16 bytes per vertex and device.
FATHOM_API void verify_color(const Context& ctx, const Graph& graph, const ColorOptions& options,
                             const ColorResult& result);

namespace detail {
/// What vertices are asked by: smaller ones first, equal ones by id.
VertexArray<std::uint32_t, MergeSum> color_keys(const Context& ctx, const Graph& graph,
                                                const ColorOptions& options);
}  // namespace detail

}  // namespace fathom
