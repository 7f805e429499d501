// Orders of the vertices that bring the edges a traversal needs at a time close together (HALO).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fathom/exec/context.hpp"
#include "fathom/reorder/permutation.hpp"
#include "fathom/residency/graph.hpp"

namespace fathom::reorder {

enum class Method {
  Natural,            // as they are
  Random,             // a random permutation: destroys whatever order there was
  Degree,             // in-degree, largest first
  IndegreeNeighbors,  // the same, each vertex followed by its neighbours (Algorithm 3)
  DegreeNeighbors,    // in-degree, largest first; of equal ones in the order before
  Halo1,              // sampled harmonic centrality, largest first (Algorithm 2)
  Halo2,              // the same, each vertex followed by its neighbours (Algorithms 2 and 3)
  Halo2Rk,            // the same, neighbours by centrality instead of by id
  Rcm,                // reverse Cuthill-McKee of A + A^T, component by component
  Bp,                 // recursive bisection: the neighbours of a vertex lie together
  BfsBp,              // recursive bisection: the levels of sampled searches lie together
};

/// "natural", "random", "degree", "indegree-neighbors", "degree-neighbors", "halo1", "halo2",
/// "halo2-rk", "rcm", "bp", "bfs-bp".
FATHOM_API std::string_view name_of(Method);
FATHOM_API std::optional<Method> method_of(std::string_view name);
/// All names, in the order of Method.
FATHOM_API std::vector<std::string> method_names();

struct Options {
  Method method = Method::Halo2;
  VertexId samples = 20;      // searches that HALO and BFS-BP sample; at most one per vertex
  std::uint64_t seed = 0;     // of samples and of random orders
  bool by_component = false;  // weak components one after the other, the largest first
};

/// The order of a graph's vertices by one of the methods. Equal vertices stay in their order.
///
/// @param graph  directed or not, connected or not, in any residency. Neighbours are along
///               out-edges; in-degrees count parallel edges.
/// @return  the same for a seed, whatever the threads, devices and residency; and, given the order
///          of the centres, the permutation that the paper's sequential Algorithm 3 gives.
/// @throws Error(Usage) for one sample of several vertices; Error(DoesNotFit); Error(Interrupted).
/// Cost: HALO: a MultiSearch for each 64 samples; neighbours: one read of each edge; components:
/// see connected_components(). 8 bytes per vertex and device (HALO: 40), and on the host 40 bytes
/// per vertex while sorting. RCM: see rcm_order(). BP, BFS-BP: see bisection.hpp.
/// Reordering then costs what store::permute() does. Source: Gera et al.,
/// "Traversing large graphs on GPUs with unified memory", PVLDB 13(7), 2020; in-degree and
/// neighbours: Lee et al. (Norder), USENIX ATC 2019.
FATHOM_API Permutation make_order(const Context& ctx, const Graph& graph,
                                  const Options& options = {});

}  // namespace fathom::reorder
