// A maximal matching of heavy edges: no two of them share a vertex, and none can be added.
#pragma once

#include <cstdint>

#include "fathom/core/array.hpp"
#include "fathom/exec/context.hpp"
#include "fathom/exec/report.hpp"
#include "fathom/residency/graph.hpp"

namespace fathom {

struct MatchingOptions {
  std::uint64_t seed = 0;  // decides between edges of one weight
};

struct MatchingResult {
  Array<Weight> weight;     // [vertices]: of the edge to the partner; 0 without one
  Array<VertexId> partner;  // [vertices]: the other end of the vertex's edge, kNoVertex without one
  double total = 0;         // of the edges' weights, added by ascending first ends
  VertexId edges = 0;       // of the matching
  std::uint32_t rounds = 0;
  RunReport report;
};

/// The matching that a greedy choice finds: edges are asked in the order of their weights, heavier
/// ones first, and each is taken unless an edge of one of its ends was. Where no weight is below 0
/// they weigh at least half as much as any matching, and they are at least half as many.
///
/// Of equal weights the edge of the smaller h(u, v) comes first, u < v being its ends; then that of
/// the smaller u, then of the smaller v. With 64-bit numbers, M(x): x ^= x >> 30,
/// x *= 0xbf58476d1ce4e5b9, x ^= x >> 27, x *= 0x94d049bb133111eb, x ^= x >> 31;
/// G = 0x9e3779b97f4a7c15; h(u, v) = M(M(M(M(seed + G) + G) + uG) + vG) / 2^32, rounded down.
///
/// @param graph  undirected; weights finite, those below 0 are taken last, but taken; without
///               weights all are 1. Loops do not matter, of parallel edges the heaviest does.
/// @return  unique for a seed, on every residency, executor and number of devices.
/// @throws Error(Usage) for a directed graph; Error(BadInput) where an edge has another weight in
///         its other direction, as far as that matters; Error(DoesNotFit); Error(Interrupted).
/// Cost: one read of each edge, then a vertex is read again when another one has taken the place
/// that it asked for (R-MAT and uniform graphs and grids: 1.3 to 1.6 reads in 6 to 8 rounds). Where
/// weights rise along a path it takes a round for every two of its edges. Two vertex ids, a third
/// with 8 bytes, 4 bytes and three bits per vertex and device.
/// Source: Manne and Halappanavar, "New effective multithreaded matching algorithms" (Suitor),
/// IPDPS 2014; edges of one weight: Blelloch, Fineman and Shun, "Greedy sequential maximal
/// independent set and matching are parallel on average", SPAA 2012.
FATHOM_API MatchingResult maximal_matching(const Context& ctx, const Graph& graph,
                                           const MatchingOptions& options = {});

/// Checks a result without choosing again: partners are each other's, by edges of these weights,
/// and no edge goes before those of both of its ends, as only the greedy choice's do not.
/// @throws Error(VerificationFailed) naming the vertex and what is wrong.
/// Cost: one read of each edge; two vertex ids and 12 bytes per vertex and device.
FATHOM_API void verify_matching(const Context& ctx, const Graph& graph,
                                const MatchingOptions& options, const MatchingResult& result);

}  // namespace fathom
