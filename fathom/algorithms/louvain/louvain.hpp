// Communities by modularity: vertices move to neighbouring communities as long as that raises it,
// then communities do, as vertices of a smaller graph.
#pragma once

#include <cstdint>

#include "fathom/core/array.hpp"
#include "fathom/exec/context.hpp"
#include "fathom/exec/report.hpp"
#include "fathom/residency/graph.hpp"

namespace fathom {

struct LouvainOptions {
  double resolution = 1;      // at least 0: larger ones favour smaller communities
  double tolerance = 1e-7;    // at least 0: a level that gains less modularity is the last
  std::uint32_t levels = 20;  // at most
  std::uint32_t rounds = 50;  // of a level, at most
  std::uint64_t seed = 0;
};

struct LouvainResult {
  Array<VertexId> community;  // [vertices]: the first vertex of the community
  VertexId communities = 0;
  double modularity = 0;     // -1 to 1 for a resolution of 1; 0 of a graph without edges
  std::uint32_t levels = 0;  // that joined communities
  std::uint32_t rounds = 0;  // of all levels
  bool converged = false;    // at the end no community gained by joining another
  RunReport report;
};

/// With the sum M of all vertices' strengths, the strength of a vertex being the weights of its
/// edges, those of loops twice: modularity is the share of M that edges inside communities have,
/// minus the resolution times the sum of the squared shares of the communities' strengths.
///
/// In a round every vertex with a changed neighbourhood goes to the neighbouring community by which
/// modularity grows most, of equal ones the first; it stays if none does. Vertices choose in turns:
/// lists are read in windows of as many entries as there are vertices, and within a window four
/// classes, drawn by the seed for each round, come one after the other; those of a class do not
/// know of each other. When no vertex moves, or after `rounds`, communities become vertices, and
/// edges between two of them an edge.
///
/// @param graph  undirected; weights finite and not below 0; without weights all are 1. Parallel
///               edges count each.
/// @return  unique for a seed, on every residency, executor, number of devices and of threads:
///          weights are added as integers, in units of which all edges have fewer than 2^61, and
///          2^57 or more where weights are alike; edges between communities are rounded to single
///          precision in further levels.
/// @throws Error(Usage) for a directed graph, or options out of range; Error(BadInput) for another
///         weight; Error(DoesNotFit); Error(Io) when what the next level reads fits neither memory
///         nor the directory of temporary files ($TMPDIR); Error(Interrupted).
/// Cost: per round one read of the lists of vertices that choose, and of pages at the borders of
/// windows twice; a level reads all lists twice more, with weights three times (R-MAT and grids of
/// scale 18: 6 to 12 reads of all edges in all). Two ids and 16 bytes per vertex and device, an id
/// and 4 bytes, and a table of one and a half ids and 12 bytes: with ids of 32 bits 50 bytes.
/// Source: Blondel, Guillaume, Lambiotte and Lefebvre, "Fast unfolding of communities in large
/// networks", J. Stat. Mech. P10008, 2008; vertices that have to choose again: Ozaki, Tezuka and
/// Inaba, "A simple acceleration method for the Louvain algorithm", IJCEE 8(3), 2016; in parallel:
/// Sahu, "GVE-Louvain: fast Louvain algorithm for community detection in shared memory setting",
/// arXiv:2312.04876, 2023.
FATHOM_API LouvainResult louvain(const Context& ctx, const Graph& graph,
                                 const LouvainOptions& options = {});

/// Checks a result without moving a vertex: communities are called by their first vertices, their
/// modularity is what the edges say, and of a converged result no two communities would gain by
/// becoming one (but for what single precision leaves open). That vertices could not be divided
/// better is not checked: nobody knows how to.
/// @throws Error(VerificationFailed) naming a vertex or community and what is wrong.
/// Cost: lists are read on the host, community by community, once or (converged) twice; two ids and
/// 16 bytes per vertex.
FATHOM_API void verify_louvain(const Context& ctx, const Graph& graph,
                               const LouvainOptions& options, const LouvainResult& result);

}  // namespace fathom
