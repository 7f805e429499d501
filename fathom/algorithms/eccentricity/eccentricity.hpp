// Eccentricities: how far the farthest vertex is from each; diameter and radius.
#pragma once

#include <cstdint>

#include "fathom/core/array.hpp"
#include "fathom/exec/context.hpp"
#include "fathom/exec/report.hpp"
#include "fathom/residency/graph.hpp"

namespace fathom {

struct EccentricityOptions {
  /// Stop when diameter and radius are known; vertices get no values.
  bool diameter_only = false;
};

struct EccentricityResult {
  Array<std::uint32_t> eccentricity;  // [vertices], in edges; empty with diameter_only
  // Of the largest component of an undirected graph (of several the one with the first vertex), of
  // all vertices of a directed one.
  std::uint32_t diameter = 0, radius = 0;      // the largest and the smallest eccentricity
  VertexId periphery = 0, center = 0;          // how many vertices have these; kNoVertex: with
                                               // diameter_only it was not needed to know
  VertexId far = kNoVertex, near = kNoVertex;  // a vertex that has the diameter, the radius
  std::uint64_t searches = 0;                  // vertices that were searched from
  RunReport report;
};

/// The eccentricity of a vertex is the largest distance, in edges, to any vertex that it reaches:
/// exact, and within its component where a graph has several (NetworkX refuses such graphs).
///
/// Undirected graphs: a search from s bounds the eccentricities of all vertices v that it reaches,
/// max(d, ecc(s) - d) <= ecc(v) <= ecc(s) + d with d = d(s, v). And nobody can be farther from v
/// than from those searched from but one whose own eccentricity may be as large. Searches begin at
/// vertices of the largest upper and the smallest lower bounds, of equal ones at those farthest
/// from, and nearest to, all sources before, until both bounds of every vertex meet. Components of
/// up to 64 vertices are searched all together, from all of their vertices.
///
/// Directed graphs have no such bounds, as distances differ by direction: every vertex is searched
/// from along out-edges, 64 at a time, also with diameter_only. That is for small graphs.
///
/// @return  unique. Sources and their number are the same on every residency, executor and number
///          of devices.
/// @throws Error(DoesNotFit); Error(Interrupted).
/// Cost: what connected_components() costs, and a MultiSearch for every 2 to 64 vertices searched
/// from: 12 of a grid of 10^6 vertices, 8 with diameter_only; 3,813 and 48 of R-MAT of scale 18,
/// where a vertex of the smallest eccentricity has to be searched from itself. In the worst case,
/// such as a cycle, that is every vertex. 101 bytes per vertex and device, 25 of a directed graph;
/// 20 on the host.
/// Source: Takes and Kosters, "Computing the eccentricity distribution of large graphs",
/// Algorithms 6(1), 2013; vertices from the farthest down: Crescenzi, Grossi, Habib, Lanzi and
/// Marino, "On computing the diameter of real-world undirected graphs" (iFUB), Theoretical Computer
/// Science 514, 2013; ties by sums: Borassi et al. (SumSweep), Theoretical Computer Science 586,
/// 2015.
FATHOM_API EccentricityResult eccentricities(const Context& ctx, const Graph& graph,
                                             const EccentricityOptions& options = {});

/// Checks a result with serial searches that share no code with eccentricities(). Every value is
/// explained by an out-neighbour with one less at least; along undirected edges values differ by
/// one at most; counts follow from values; and `few` vertices, one with the diameter and one with
/// the radius are searched from. Where edges are undirected, a wrong value elsewhere that passes is
/// off by at most twice the hops to one of them. With diameter_only there are no values: the two
/// searches remain, the diameter is at most twice the radius where edges are undirected, and the
/// `few` vertices lie between; a wrong diameter that passes is too small, and a wrong radius too
/// large. Counts are not checked then.
/// @throws Error(VerificationFailed) naming the vertex and what is wrong; Error(Usage) when the
///         edges cannot be read by the host.
/// Cost: one read of each edge, and few + 2 searches by one thread.
FATHOM_API void verify_eccentricities(const Context& ctx, const Graph& graph,
                                      const EccentricityOptions& options,
                                      const EccentricityResult& result, VertexId few = 6);

}  // namespace fathom
