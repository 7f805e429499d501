// Communities by modularity that are connected, each of them: as by the Louvain method, but what
// becomes a vertex of the next level are parts of communities, in which no vertex was left behind.
#pragma once

#include "fathom/algorithms/louvain/louvain.hpp"

namespace fathom {

struct LeidenOptions {
  double resolution = 1;      // at least 0: larger ones favour smaller communities
  double tolerance = 1e-7;    // at least 0: a level whose vertices were communities, and that gains
                              // less modularity, is the last of its pass
  std::uint32_t levels = 20;  // of a pass, at most
  std::uint32_t rounds = 50;  // of moves in a level, and of its refinement, at most
  std::uint32_t passes = 2;   // at most: each begins with the communities of the one before
  std::uint64_t seed = 0;
};

/// As of louvain(). `levels`: that joined parts of communities, of all passes. `rounds`: of moves,
/// not of refinements.
using LeidenResult = LouvainResult;

/// A level moves vertices between communities in rounds as louvain() does; here a vertex may also
/// leave for a community of its own, if no other has its name. Then every vertex is a part of its
/// community, and vertices whose part nobody has joined join another part of the same community by
/// which modularity grows most, of equal ones the first; of those that chose at the same time none
/// joins a part whose first vertex goes elsewhere. So parts are connected. They become the vertices
/// of the next level, which begins with the communities that they are parts of; what falls apart
/// when no edges inside a community connect its parts are several communities. A pass ends when
/// every community is a vertex and none gains by joining another, or when parts join no more. The
/// next one begins with all vertices and these communities; what makes modularity smaller is not
/// taken.
///
/// Modularity, units of weights, and the order in which vertices choose: see louvain().
///
/// @param graph  undirected; weights finite and not below 0; without weights all are 1. Parallel
///               edges count each. Edges of weight 0 connect nothing.
/// @return  every community is connected by edges between its vertices, whatever level was the
///          last; unique for a seed, on every residency, executor, number of devices and of
///          threads.
/// @throws as louvain() does.
/// Cost: of a level what one of louvain() costs, and about one more read of its lists; there are
/// more levels, and of more vertices (R-MAT and grids of scale 18: a pass takes 13 to 19 reads of
/// all edges in all, two 22 to 30). An id more per vertex: with ids of 32 bits 54 bytes, and 4 more
/// in host memory. Source: Traag, Waltman and van Eck, "From Louvain to Leiden: guaranteeing
/// well-connected communities", Scientific Reports 9, 5233, 2019; in parallel, with refinement that
/// takes the best part: Sahu, "GVE-Leiden: fast Leiden algorithm for community detection in shared
/// memory setting", arXiv:2312.13936, 2023.
FATHOM_API LeidenResult leiden(const Context& ctx, const Graph& graph,
                               const LeidenOptions& options = {});

/// Checks a result without moving a vertex: what verify_louvain() does, and that every community is
/// connected by edges that weigh something.
/// @throws Error(VerificationFailed) naming a vertex or community and what is wrong.
/// Cost: one read of lists on the host more than verify_louvain(), and an id per vertex.
FATHOM_API void verify_leiden(const Context& ctx, const Graph& graph, const LeidenOptions& options,
                              const LeidenResult& result);

}  // namespace fathom
