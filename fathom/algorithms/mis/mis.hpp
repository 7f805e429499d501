// A maximal independent set: vertices without edges between them, to which none can be added.
#pragma once

#include <cstdint>

#include "fathom/core/array.hpp"
#include "fathom/exec/context.hpp"
#include "fathom/exec/report.hpp"
#include "fathom/exec/vertex_array.hpp"
#include "fathom/residency/graph.hpp"

namespace fathom {

enum class MisOrder {
  Degree,  // vertices of few edges first: larger sets, fewer reads
  Random,
};

struct MisOptions {
  std::uint64_t seed = 0;
  MisOrder order = MisOrder::Degree;
};

struct MisResult {
  Array<std::uint32_t> in_set;  // [vertices]: 1 or 0
  VertexId size = 0;            // vertices of the set
  std::uint32_t rounds = 0;
  RunReport report;
};

/// The set that a greedy choice finds: vertices are asked in the order of their keys, smaller ones
/// first, equal ones by id, and each joins unless a neighbour has. Edges count whatever their
/// direction, loops do not matter.
///
/// With 64-bit numbers, M(x): x ^= x >> 30, x *= 0xbf58476d1ce4e5b9, x ^= x >> 27,
/// x *= 0x94d049bb133111eb, x ^= x >> 31; G = 0x9e3779b97f4a7c15; h(v) = M(M(M(seed + G) + G) +
/// vG). MisOrder::Random: the key is h(v) / 2^32. MisOrder::Degree: it is c * 2^24 + h(v) / 2^40,
/// where c is 4 p + (4 d / 2^p mod 4), all divisions rounded down, 2^p being the largest power of
/// two that is not above the degree d, 1 if that is 0. Degrees count lists' entries in either
/// direction, loops and parallel edges too; in-edges that are not stored modulo 2^32.
///
/// @return  unique for a seed, on every residency, executor and number of devices.
/// @throws Error(DoesNotFit); Error(Interrupted).
/// Cost: lists of undecided vertices once per round, up to the first neighbour that goes before,
/// and those of the set once more (R-MAT and uniform graphs of scale 13, simulated serially with
/// two classes for each power of two: 1.1 to 1.5 reads of each edge in 3 to 5 rounds; by random
/// keys 1.4 to 1.6, and sets 4 to 9 % smaller). 4 bytes per vertex and device, and five bits.
/// Source: Blelloch, Fineman and Shun, "Greedy sequential maximal independent set and matching are
/// parallel on average", SPAA 2012; degrees: Burtscher, Devale, Azimi, Jaiganesh and Powers, "A
/// high-quality and fast maximal independent set implementation for GPUs", ACM TOPC 5(2), 2018.
FATHOM_API MisResult maximal_independent_set(const Context& ctx, const Graph& graph,
                                             const MisOptions& options = {});

/// Checks a result without choosing again: no edge joins two vertices of the set, and each vertex
/// outside has a neighbour inside that goes before it, which only the greedy choice has.
/// @throws Error(VerificationFailed) naming the vertex and what is wrong.
/// Cost: one read of each edge, two without in-edges; 16 bytes per vertex and device.
FATHOM_API void verify_mis(const Context& ctx, const Graph& graph, const MisOptions& options,
                           const MisResult& result);

namespace detail {
/// What vertices are asked by; a read of each edge where degrees are wanted and only out-edges are
/// there.
VertexArray<std::uint32_t, MergeSum> mis_keys(const Context& ctx, const Graph& graph,
                                              const MisOptions& options);
}  // namespace detail

}  // namespace fathom
