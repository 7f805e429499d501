// The one place that says how much memory each algorithm's state takes, per vertex: plans, runs
// that may split it and caches that leave room for it ask here, and a test holds it against what
// algorithms allocate.
#pragma once

#include <cstdint>

#include "fathom/core/platform.hpp"
#include "fathom/residency/state_size.hpp"

namespace fathom {

/// `id_bytes`: of a vertex id, where plans are made for another width.
inline constexpr double kIdBytes = sizeof(VertexId);

/// `pulls`: it may, reading in-edges.
FATHOM_API StateSize bfs_state(bool parents, bool pulls, double id_bytes = kIdBytes);
/// Up to 64 searches together, whatever then is done with their frontiers.
FATHOM_API StateSize multi_search_state(double id_bytes = kIdBytes);
/// With the depths of all of them, as long as they are below 2^planes.
FATHOM_API StateSize multi_bfs_state(int planes = 5, double id_bytes = kIdBytes);
FATHOM_API StateSize harmonic_state(double id_bytes = kIdBytes);
FATHOM_API StateSize closeness_state(double id_bytes = kIdBytes);
/// `directed`: every vertex is searched from, without bounds.
FATHOM_API StateSize eccentricity_state(bool directed, double id_bytes = kIdBytes);
/// `length_bytes`: of a distance, 8 in double precision.
FATHOM_API StateSize sssp_state(double length_bytes = sizeof(Weight), double id_bytes = kIdBytes);
FATHOM_API StateSize bellman_ford_state(double length_bytes = sizeof(Weight),
                                        double id_bytes = kIdBytes);
FATHOM_API StateSize components_state(bool sample, double id_bytes = kIdBytes);
/// `has_in`: in-edges are stored, or are the out-edges.
FATHOM_API StateSize scc_state(bool directed, bool has_in, double id_bytes = kIdBytes);

struct PagerankState {
  double share_bytes = 4;     // 8 for small tolerances
  bool weights = false;       // edges are followed by
  bool personalized = false;  // jumps go by a value per vertex
  bool in_place = false;      // where all edges are in reach
  int walks = 1;              // at once, of which each goes back to one vertex; they are not split
  bool conjugate = false;     // of an undirected graph, by conjugate gradients; they are not split
};
FATHOM_API StateSize pagerank_state(const PagerankState& options);

/// Power iterations with double values: eigenvector, katz.
FATHOM_API StateSize power_state(const char* algorithm, bool weights);

FATHOM_API StateSize hits_state(bool weights);

/// Of so many searches at once (1, 2, 4 or 8; one by weight). `keeps`: what they found of every
/// vertex is there when they are over.
FATHOM_API StateSize betweenness_state(bool weights, int batch = 1, double id_bytes = kIdBytes,
                                       bool keeps = false);
/// `entries` of lists and `rows` of edges for each vertex.
FATHOM_API StateSize edge_betweenness_state(bool weights, int batch = 1, double entries = 0,
                                            double rows = 0, double id_bytes = kIdBytes);
FATHOM_API StateSize triangles_state(bool per_vertex);
/// `edges`: of the simple graph, or more.
FATHOM_API StateSize ktruss_state(std::uint64_t vertices, std::uint64_t edges, bool per_vertex,
                                  double id_bytes = kIdBytes);
FATHOM_API StateSize lcc_state(bool directed, double id_bytes = kIdBytes);
/// `two_lists`: of a directed graph with in-edges. `one_device`: sees every loss of a vertex.
FATHOM_API StateSize kcore_state(bool two_lists, bool one_device, double id_bytes = kIdBytes);
/// `has_in`: in-edges of a directed graph are stored.
FATHOM_API StateSize mis_state(bool directed, bool has_in);
FATHOM_API StateSize msf_state(double id_bytes = kIdBytes);
FATHOM_API StateSize biconnected_state(double id_bytes = kIdBytes);
FATHOM_API StateSize matching_state(double id_bytes = kIdBytes);
FATHOM_API StateSize color_state(bool directed, bool has_in, bool one_device);
FATHOM_API StateSize cdlp_state(bool directed, double id_bytes = kIdBytes);
/// `pairs`: of given pairs; else the best `k` of each vertex. `weighs`: neighbours, by their
/// degrees.
FATHOM_API StateSize similarity_state(bool pairs, bool weighs, double k,
                                      double id_bytes = kIdBytes);
FATHOM_API StateSize louvain_state(double id_bytes = kIdBytes);
FATHOM_API StateSize leiden_state(double id_bytes = kIdBytes);
FATHOM_API StateSize bipartite_state(double id_bytes = kIdBytes);
FATHOM_API StateSize levels_state(bool one_device, double id_bytes = kIdBytes);
/// `window`: rounds that are remembered of each vertex (score_slack() + 1).
FATHOM_API StateSize radius_state(std::uint32_t sketches, std::uint32_t window);
FATHOM_API StateSize degrees_state(bool directed);
FATHOM_API StateSize assortativity_state(bool rich_club = false);
FATHOM_API StateSize reciprocity_state(double id_bytes = kIdBytes);
FATHOM_API StateSize neighborhood_state(double id_bytes = kIdBytes);
FATHOM_API StateSize subgraph_state();
/// Of batches that are sampled by operators, beside what their size takes.
FATHOM_API StateSize neighbor_sampling_state();
FATHOM_API StateSize cross_edges_state();

}  // namespace fathom
