// Every algorithm behind one signature: what tests that attack the place of edges and memory, and
// not one algorithm, go through.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "fathom/algorithms/assortativity/assortativity.hpp"
#include "fathom/algorithms/bellman_ford/bellman_ford.hpp"
#include "fathom/algorithms/betweenness/betweenness.hpp"
#include "fathom/algorithms/bfs/bfs.hpp"
#include "fathom/algorithms/biconnected/biconnected.hpp"
#include "fathom/algorithms/bipartite/bipartite.hpp"
#include "fathom/algorithms/cdlp/cdlp.hpp"
#include "fathom/algorithms/closeness/closeness.hpp"
#include "fathom/algorithms/color/color.hpp"
#include "fathom/algorithms/components/components.hpp"
#include "fathom/algorithms/degrees/degrees.hpp"
#include "fathom/algorithms/eccentricity/eccentricity.hpp"
#include "fathom/algorithms/edge_betweenness/edge_betweenness.hpp"
#include "fathom/algorithms/eigenvector/eigenvector.hpp"
#include "fathom/algorithms/harmonic/harmonic.hpp"
#include "fathom/algorithms/hits/hits.hpp"
#include "fathom/algorithms/katz/katz.hpp"
#include "fathom/algorithms/kcore/kcore.hpp"
#include "fathom/algorithms/ktruss/ktruss.hpp"
#include "fathom/algorithms/lcc/lcc.hpp"
#include "fathom/algorithms/leiden/leiden.hpp"
#include "fathom/algorithms/levels/levels.hpp"
#include "fathom/algorithms/louvain/louvain.hpp"
#include "fathom/algorithms/matching/matching.hpp"
#include "fathom/algorithms/mis/mis.hpp"
#include "fathom/algorithms/msf/msf.hpp"
#include "fathom/algorithms/multi_search/multi_bfs.hpp"
#include "fathom/algorithms/neighbor_sampling/neighbor_sampling.hpp"
#include "fathom/algorithms/pagerank/pagerank.hpp"
#include "fathom/algorithms/pagerank/rwr.hpp"
#include "fathom/algorithms/pagerank/rwr_each.hpp"
#include "fathom/algorithms/radius/radius.hpp"
#include "fathom/algorithms/reciprocity/reciprocity.hpp"
#include "fathom/algorithms/scc/scc.hpp"
#include "fathom/algorithms/similarity/similarity.hpp"
#include "fathom/algorithms/sssp/sssp.hpp"
#include "fathom/algorithms/subgraph/cross_edges.hpp"
#include "fathom/algorithms/subgraph/neighborhood.hpp"
#include "fathom/algorithms/subgraph/subgraph.hpp"
#include "fathom/algorithms/triangles/triangles.hpp"
#include "fathom/algorithms/walks/walks.hpp"
#include "fathom/reorder/order.hpp"

namespace fathom::testing {

/// What an algorithm found: ids and counts are exact in a double.
using Answer = std::vector<double>;

/// Where certificates are checked: the same graph on a machine without GPUs.
struct Verifier {
  const Context& ctx;
  const Graph& graph;
};

struct EveryAlgorithm {
  std::string name;
  bool splits;   // under Strategy::Scalability, which refuses the others
  double slack;  // by how much answers may differ, relative to 1 or what is expected; 0: equal
  bool needs_sources;  // a graph without vertices has none
  /// Runs it, and with a verifier its certificate.
  std::function<Answer(const Context&, const Graph&, const Verifier*)> run;
};

template <class... Arrays>
Answer answer_of(const Arrays&... arrays) {
  Answer all;
  (std::transform(arrays.begin(), arrays.end(), std::back_inserter(all),
                  [](auto value) { return static_cast<double>(value); }),
   ...);
  return all;
}

/// Two sources, as far apart as ids are.
inline std::vector<VertexId> two_sources(const Graph& graph) {
  if (graph.vertices() == 0) return {};
  return {0, static_cast<VertexId>(graph.vertices() - 1)};
}

inline EveryAlgorithm order_by(reorder::Method method, bool by_component = false) {
  return {"order_" + std::string(reorder::name_of(method)) + (by_component ? "_by_component" : ""),
          false, 0, false, [=](const Context& ctx, const Graph& g, const Verifier*) {
            reorder::Options options;
            options.method = method;
            options.samples = std::min<VertexId>(g.vertices(), 5);
            options.by_component = by_component;
            return answer_of(reorder::make_order(ctx, g, options).positions());
          }};
}

inline const std::vector<EveryAlgorithm>& search_algorithms() {
  static const std::vector<EveryAlgorithm> all = {
      {"bfs", true, 0, true,
       [](const Context& ctx, const Graph& g, const Verifier* verifier) {
         const std::vector<VertexId> from = two_sources(g);
         BfsOptions options;
         options.parents = true;
         const BfsResult result = bfs(ctx, g, from, options);
         if (verifier) verify_bfs(verifier->ctx, verifier->graph, from, options, result);
         return answer_of(result.depth);  // of several parents any will do
       }},
      {"bfs_pull", false, 0, true,
       [](const Context& ctx, const Graph& g, const Verifier* verifier) {
         const std::vector<VertexId> from = two_sources(g);
         BfsOptions options;
         options.direction = Direction::Pull;
         const BfsResult result = bfs(ctx, g, from, options);
         if (verifier) verify_bfs(verifier->ctx, verifier->graph, from, options, result);
         return answer_of(result.depth);
       }},
      {"multi_bfs", false, 0, true,
       [](const Context& ctx, const Graph& g, const Verifier* verifier) {
         const std::vector<VertexId> from = two_sources(g);
         const MultiBfsResult result = multi_bfs(ctx, g, from);
         if (verifier) verify_multi_bfs(verifier->ctx, verifier->graph, from, {}, result);
         return answer_of(result.depth, result.reached, result.max_depth);
       }},
      {"sssp", true, 0, true,
       [](const Context& ctx, const Graph& g, const Verifier* verifier) {
         const SsspResult result = sssp(ctx, g, 0);
         if (verifier) verify_sssp(verifier->ctx, verifier->graph, 0, result);
         return answer_of(result.distance);
       }},
      {"sssp_double", true, 0, true,
       [](const Context& ctx, const Graph& g, const Verifier* verifier) {
         const SsspResult result = sssp(ctx, g, 0, {.precision = SsspPrecision::Double});
         if (verifier) verify_sssp(verifier->ctx, verifier->graph, 0, result);
         return answer_of(result.double_distance);
       }},
      {"bellman_ford", false, 0, true,
       [](const Context& ctx, const Graph& g, const Verifier* verifier) {
         const BellmanFordResult result = bellman_ford(ctx, g, 0);
         if (verifier) verify_bellman_ford(verifier->ctx, verifier->graph, 0, result);
         return answer_of(result.distance);
       }},
      {"components", true, 0, false,
       [](const Context& ctx, const Graph& g, const Verifier* verifier) {
         const ComponentsResult result = connected_components(ctx, g);
         if (verifier) verify_components(verifier->ctx, verifier->graph, result);
         return answer_of(result.label);
       }},
      {"scc", false, 0, false,
       [](const Context& ctx, const Graph& g, const Verifier* verifier) {
         const SccResult result = strongly_connected_components(ctx, g);
         if (verifier) verify_scc(verifier->ctx, verifier->graph, result);
         return answer_of(result.label);
       }},
      {"neighborhood", false, 0, true,
       [](const Context& ctx, const Graph& g, const Verifier* verifier) {
         const std::vector<VertexId> from = two_sources(g);
         const NeighborhoodOptions options{2, EdgeMode::All};
         const NeighborhoodResult result = neighborhood(ctx, g, from, options);
         if (verifier) verify_neighborhood(verifier->ctx, verifier->graph, from, options, result);
         return answer_of(result.hops);
       }},
      {"egonet", false, 0, true,
       [](const Context& ctx, const Graph& g, const Verifier* verifier) {
         const std::vector<VertexId> from = two_sources(g);
         const EgonetResult result = egonet(ctx, g, from);
         if (verifier) verify_egonet(verifier->ctx, verifier->graph, from, {}, result);
         return answer_of(result.around.hops, result.graph.vertices, result.graph.out.offset,
                          result.graph.out.target, result.graph.out.weight);
       }},
  };
  return all;
}

inline const std::vector<EveryAlgorithm>& measuring_algorithms() {
  static const std::vector<EveryAlgorithm> all = {
      {"pagerank", true, 1e-6, false,
       [](const Context& ctx, const Graph& g, const Verifier* verifier) {
         PagerankOptions options;
         options.tolerance = 1e-7;
         const PagerankResult result = pagerank(ctx, g, options);
         if (verifier) verify_pagerank(verifier->ctx, verifier->graph, options, result);
         return answer_of(result.rank);
       }},
      {"random_walk", true, 1e-6, true,
       [](const Context& ctx, const Graph& g, const Verifier* verifier) {
         const std::vector<VertexId> from = two_sources(g);
         RwrOptions options;
         options.tolerance = 1e-7;
         options.weighted = g.weighted();
         const RwrResult result = random_walk_with_restart(ctx, g, from, options);
         if (verifier) verify_random_walk(verifier->ctx, verifier->graph, from, options, result);
         return answer_of(result.probability);
       }},
      {"random_walks", true, 1e-6, true,
       [](const Context& ctx, const Graph& g, const Verifier* verifier) {
         std::vector<VertexId> from;
         for (VertexId v = 0; v < g.vertices() && v < 5; ++v) from.push_back(v);
         if (from.empty()) return Answer{};
         RwrEachOptions options;
         options.walk.tolerance = 1e-7;
         options.walk.weighted = g.weighted();
         const RwrEachResult result = random_walks_from_each(ctx, g, from, options);
         if (verifier)
           verify_walks_from_each(verifier->ctx, verifier->graph, from, options, result);
         Array<double> first(g.vertices(), 0);
         for (std::uint64_t i = 0; i < result.rows && result.source[i] == from[0]; ++i)
           first[result.vertex[i]] = result.probability[i];
         return answer_of(first);
       }},
      {"eigenvector", true, 1e-6, false,
       [](const Context& ctx, const Graph& g, const Verifier* verifier) {
         const EigenvectorOptions options{1e-8, 50, g.weighted()};
         const EigenvectorResult result = eigenvector(ctx, g, options);
         if (verifier) verify_eigenvector(verifier->ctx, verifier->graph, options, result);
         return answer_of(result.centrality);
       }},
      {"katz", true, 1e-6, false,
       [](const Context& ctx, const Graph& g, const Verifier* verifier) {
         KatzOptions options;
         options.alpha = 1e-4;
         options.tolerance = 1e-8;
         const KatzResult result = katz(ctx, g, options);
         if (verifier) verify_katz(verifier->ctx, verifier->graph, options, result);
         return answer_of(result.centrality);
       }},
      {"hits", false, 1e-6, false,
       [](const Context& ctx, const Graph& g, const Verifier* verifier) {
         const HitsOptions options{1e-9, 50, g.weighted()};
         const HitsResult result = hits(ctx, g, options);
         if (verifier) verify_hits(verifier->ctx, verifier->graph, options, result);
         return answer_of(result.hub, result.authority);
       }},
      {"betweenness", false, 1e-9, true,
       [](const Context& ctx, const Graph& g, const Verifier* verifier) {
         BetweennessOptions options;
         options.sources = two_sources(g);
         const BetweennessResult result = betweenness(ctx, g, options);
         if (verifier) verify_betweenness(verifier->ctx, verifier->graph, options, result, 2);
         return answer_of(result.centrality);
       }},
      {"betweenness_weighted", false, 1e-9, true,
       [](const Context& ctx, const Graph& g, const Verifier* verifier) {
         BetweennessOptions options;
         options.sources = two_sources(g);
         options.weighted = true;
         const BetweennessResult result = betweenness(ctx, g, options);
         if (verifier) verify_betweenness(verifier->ctx, verifier->graph, options, result, 2);
         return answer_of(result.centrality);
       }},
      {"betweenness_of_targets", false, 1e-9, true,
       [](const Context& ctx, const Graph& g, const Verifier* verifier) {
         BetweennessOptions options;
         options.sources = options.targets = two_sources(g);
         options.normalized = false;
         const BetweennessResult result = betweenness(ctx, g, options);
         if (verifier) verify_betweenness(verifier->ctx, verifier->graph, options, result, 2);
         return answer_of(result.centrality);
       }},
      {"edge_betweenness", false, 1e-9, true,
       [](const Context& ctx, const Graph& g, const Verifier* verifier) {
         EdgeBetweennessOptions options;
         options.sources = two_sources(g);
         const EdgeBetweennessResult result = edge_betweenness(ctx, g, options);
         if (verifier) verify_edge_betweenness(verifier->ctx, verifier->graph, options, result, 2);
         return answer_of(result.v, result.centrality.span().first(result.rows));
       }},
      {"edge_betweenness_weighted", false, 1e-9, true,
       [](const Context& ctx, const Graph& g, const Verifier* verifier) {
         EdgeBetweennessOptions options;
         options.sources = two_sources(g);
         options.weighted = true;
         const EdgeBetweennessResult result = edge_betweenness(ctx, g, options);
         if (verifier) verify_edge_betweenness(verifier->ctx, verifier->graph, options, result, 2);
         return answer_of(result.v, result.centrality.span().first(result.rows));
       }},
      {"harmonic", false, 1e-9, true,
       [](const Context& ctx, const Graph& g, const Verifier* verifier) {
         HarmonicOptions options;
         options.samples = std::min<VertexId>(g.vertices(), 3);
         if (options.samples == 1 && g.vertices() > 1) options.samples = 0;
         const HarmonicResult result = harmonic(ctx, g, options);
         if (verifier) verify_harmonic(verifier->ctx, verifier->graph, options, result, 2);
         return answer_of(result.centrality);
       }},
      {"closeness", false, 0, true,
       [](const Context& ctx, const Graph& g, const Verifier* verifier) {
         ClosenessOptions options;
         options.samples = std::min<VertexId>(g.vertices(), 3);
         if (options.samples == 1 && g.vertices() > 1) options.samples = 0;
         const ClosenessResult result = closeness(ctx, g, options);
         if (verifier) verify_closeness(verifier->ctx, verifier->graph, options, result, 2);
         return answer_of(result.centrality, result.reached, result.distance_sum);
       }},
      {"eccentricity", false, 0, true,
       [](const Context& ctx, const Graph& g, const Verifier* verifier) {
         const EccentricityResult result = eccentricities(ctx, g);
         if (verifier) verify_eccentricities(verifier->ctx, verifier->graph, {}, result, 2);
         return answer_of(result.eccentricity);
       }},
      {"radius", false, 0, false,
       [](const Context& ctx, const Graph& g, const Verifier* verifier) {
         RadiusOptions options;
         options.sketches = 8;
         const RadiusResult result = estimate_radius(ctx, g, options);
         if (verifier) verify_radius(verifier->ctx, verifier->graph, options, result);
         return answer_of(result.effective_radius, result.farthest);
       }},
      {"kcore", false, 0, false,
       [](const Context& ctx, const Graph& g, const Verifier* verifier) {
         const KcoreResult result = kcore(ctx, g);
         if (verifier) verify_kcore(verifier->ctx, verifier->graph, {}, result);
         return answer_of(result.core, result.layer);
       }},
      {"mis", false, 0, false,
       [](const Context& ctx, const Graph& g, const Verifier* verifier) {
         const MisOptions options{3};
         const MisResult result = maximal_independent_set(ctx, g, options);
         if (verifier) verify_mis(verifier->ctx, verifier->graph, options, result);
         return answer_of(result.in_set);
       }},
      {"color", false, 0, false,
       [](const Context& ctx, const Graph& g, const Verifier* verifier) {
         const ColorOptions options{3};
         const ColorResult result = color_vertices(ctx, g, options);
         if (verifier) verify_color(verifier->ctx, verifier->graph, options, result);
         return answer_of(result.color);
       }},
      {"cdlp", false, 0, false,
       [](const Context& ctx, const Graph& g, const Verifier* verifier) {
         const CdlpOptions options{4};
         const CdlpResult result = label_propagation(ctx, g, options);
         if (verifier) verify_cdlp(verifier->ctx, verifier->graph, options, result);
         return answer_of(result.label, result.before);
       }},
      {"louvain", false, 0, false,
       [](const Context& ctx, const Graph& g, const Verifier* verifier) {
         if (g.directed()) return Answer{};
         const LouvainResult result = louvain(ctx, g);
         if (verifier) verify_louvain(verifier->ctx, verifier->graph, {}, result);
         return answer_of(result.community, std::array{result.modularity});
       }},
      {"leiden", false, 0, false,
       [](const Context& ctx, const Graph& g, const Verifier* verifier) {
         if (g.directed()) return Answer{};
         const LeidenResult result = leiden(ctx, g);
         if (verifier) verify_leiden(verifier->ctx, verifier->graph, {}, result);
         return answer_of(result.community, std::array{result.modularity});
       }},
      {"levels", false, 0, false,
       [](const Context& ctx, const Graph& g, const Verifier* verifier) {
         if (!g.directed()) return Answer{};
         const LevelsResult result = topological_levels(ctx, g);
         if (verifier) verify_levels(verifier->ctx, verifier->graph, result);
         return answer_of(result.level, result.cycle);
       }},
      {"msf", false, 0, false,
       [](const Context& ctx, const Graph& g, const Verifier* verifier) {
         if (g.directed()) return Answer{};
         const MsfResult result = minimum_spanning_forest(ctx, g);
         if (verifier) verify_msf(verifier->ctx, verifier->graph, {}, result);
         return answer_of(result.parent, result.weight);
       }},
      {"matching", false, 0, false,
       [](const Context& ctx, const Graph& g, const Verifier* verifier) {
         if (g.directed()) return Answer{};
         const MatchingOptions options{3};
         const MatchingResult result = maximal_matching(ctx, g, options);
         if (verifier) verify_matching(verifier->ctx, verifier->graph, options, result);
         return answer_of(result.partner, result.weight);
       }},
      {"biconnected", false, 0, false,
       [](const Context& ctx, const Graph& g, const Verifier* verifier) {
         if (g.directed()) return Answer{};
         const BiconnectedResult result = biconnected_components(ctx, g);
         if (verifier) verify_biconnected(verifier->ctx, verifier->graph, result);
         return answer_of(result.component, result.parent, result.articulation, result.bridge);
       }},
      {"similarity", false, 0, false,
       [](const Context& ctx, const Graph& g, const Verifier* verifier) {
         if (g.directed()) return Answer{};
         const std::vector<VertexId> sources = two_sources(g);
         const SimilarityOptions options{SimilarityMeasure::AdamicAdar, 5, sources};
         const SimilarityResult result = best_similar(ctx, g, options);
         if (verifier) verify_best_similar(verifier->ctx, verifier->graph, options, result);
         return answer_of(result.v.span().first(result.rows),
                          result.value.span().first(result.rows));
       }},
      {"similarity_of_pairs", false, 0, false,
       [](const Context& ctx, const Graph& g, const Verifier* verifier) {
         if (g.directed() || g.vertices() < 2) return Answer{};
         const std::vector<VertexId> ends = two_sources(g);
         const std::array pairs{std::pair(ends[0], ends[1]), std::pair(ends[0], VertexId{1})};
         const SimilarityResult result = similarity_of(ctx, g, pairs);
         if (verifier) verify_similarity(verifier->ctx, verifier->graph, pairs, {}, result);
         return answer_of(result.value);
       }},
      {"bipartite", false, 0, false,
       [](const Context& ctx, const Graph& g, const Verifier* verifier) {
         const BipartiteResult result = two_sides(ctx, g);
         if (verifier) verify_bipartite(verifier->ctx, verifier->graph, result);
         return answer_of(result.side, result.cycle);
       }},
      {"degrees", false, 0, false,
       [](const Context& ctx, const Graph& g, const Verifier* verifier) {
         const DegreesResult result = degrees(ctx, g);
         if (verifier) verify_degrees(verifier->ctx, verifier->graph, result);
         return answer_of(result.out, result.in);
       }},
      {"assortativity", false, 0, false,
       [](const Context& ctx, const Graph& g, const Verifier* verifier) {
         const AssortativityResult result = degree_assortativity(ctx, g, {!g.directed()});
         if (verifier) verify_assortativity(verifier->ctx, verifier->graph, result);
         return answer_of(result.neighbor_degree);
       }},
      {"reciprocity", false, 0, false,
       [](const Context& ctx, const Graph& g, const Verifier* verifier) {
         if (!g.directed()) return Answer{};
         const ReciprocityResult result = reciprocity(ctx, g);
         if (verifier) verify_reciprocity(verifier->ctx, verifier->graph, result);
         return answer_of(result.answered, std::array{result.reciprocity});
       }},
      {"triangles", false, 0, false,
       [](const Context& ctx, const Graph& g, const Verifier* verifier) {
         const TrianglesResult result = count_triangles(ctx, g, {.per_vertex = true});
         if (verifier) verify_triangles(verifier->ctx, verifier->graph, result);
         return answer_of(std::array{result.total}, result.per_vertex);
       }},
      {"ktruss", false, 0, false,
       [](const Context& ctx, const Graph& g, const Verifier* verifier) {
         const KtrussResult result = truss_decomposition(ctx, g);
         if (verifier) verify_ktruss(verifier->ctx, verifier->graph, {}, result);
         return answer_of(result.u, result.v, result.truss, result.layer);
       }},
      {"lcc", false, 0, false,
       [](const Context& ctx, const Graph& g, const Verifier* verifier) {
         const LccResult result = local_clustering(ctx, g);
         if (verifier) verify_lcc(verifier->ctx, verifier->graph, result);
         return answer_of(result.coefficient, std::array{result.average, result.transitivity});
       }},
      {"triangles_total", false, 0, false,
       [](const Context& ctx, const Graph& g, const Verifier*) {
         return answer_of(std::array{count_triangles(ctx, g).total});
       }},
      {"subgraph", false, 0, false,
       [](const Context& ctx, const Graph& g, const Verifier* verifier) {
         std::vector<VertexId> chosen;
         for (VertexId v = 0; v < g.vertices(); v += 2) chosen.push_back(v);
         const SubgraphResult result = induced_subgraph(ctx, g, chosen);
         if (verifier) verify_subgraph(verifier->ctx, verifier->graph, chosen, result);
         return answer_of(result.vertices, result.out.offset, result.out.target, result.out.weight);
       }},
      {"neighbor_sampling", false, 0, false,
       [](const Context& ctx, const Graph& g, const Verifier* verifier) {
         const std::vector<VertexId> seeds = two_sources(g);
         NeighborSamplingOptions options;
         options.fan_out = {3, kAllNeighbors, 2};
         options.weighted = g.weighted();
         if (!g.has_in()) options.along = SampleAlong::OutEdges;
         options.reads = SampleReads::Operators;
         NeighborSampler sampler(ctx, g, options);
         const NeighborSample sample = sampler.sample(seeds);
         if (verifier)
           verify_neighbor_sample(verifier->ctx, verifier->graph, options, seeds, {}, sample);
         return answer_of(sample.nodes, sample.row, sample.col, sample.edge);
       }},
      {"walks", false, 0, false,
       [](const Context& ctx, const Graph& g, const Verifier* verifier) {
         const std::vector<VertexId> from = two_sources(g);
         const WalkOptions options{
             .length = 4, .per_source = 9, .weighted = g.weighted(), .p = .2, .q = 3, .seed = 5};
         Answer answer;
         random_walks(ctx, g, from, options,
                      [&](std::uint64_t first, std::span<const VertexId> rows) {
                        if (verifier) verify_walks(verifier->graph, from, options, first, rows);
                        answer.insert(answer.end(), rows.begin(), rows.end());
                      });
         return answer;
       }},
      {"cross_edges", false, 0, false,
       [](const Context& ctx, const Graph& g, const Verifier* verifier) {
         std::vector<std::uint32_t> set(g.vertices());
         for (std::size_t v = 0; v < set.size(); ++v) set[v] = static_cast<std::uint32_t>(v % 3);
         const CrossEdgesResult result = cross_edges(ctx, g, set);
         if (verifier) verify_cross_edges(verifier->ctx, verifier->graph, set, result);
         Answer answer{static_cast<double>(result.edges)};
         for (const SetPair& pair : result.pairs)
           answer.insert(answer.end(),
                         {static_cast<double>(pair.from), static_cast<double>(pair.to),
                          static_cast<double>(pair.edges)});
         return answer;
       }},
  };
  return all;
}

inline const std::vector<EveryAlgorithm>& every_algorithm() {
  static const std::vector<EveryAlgorithm> all = [] {
    std::vector<EveryAlgorithm> these = search_algorithms();
    const auto& more = measuring_algorithms();
    these.insert(these.end(), more.begin(), more.end());
    using enum reorder::Method;
    for (const reorder::Method method :
         {Random, Degree, IndegreeNeighbors, Halo2Rk, Rcm, Bp, BfsBp})
      these.push_back(order_by(method));
    these.push_back(order_by(Halo1, true));
    return these;
  }();
  return all;
}

/// Empty when `got` is `expected` as far as the algorithm promises, else what differs.
inline std::string difference(const EveryAlgorithm& algorithm, const Answer& got,
                              const Answer& expected) {
  if (got.size() != expected.size())
    return std::to_string(got.size()) + " values instead of " + std::to_string(expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double allowed = algorithm.slack * std::max(1.0, std::abs(expected[i]));
    if (got[i] == expected[i] || std::abs(got[i] - expected[i]) <= allowed) continue;
    if (std::isnan(got[i]) && std::isnan(expected[i])) continue;  // of no edges, a share is none
    return "value " + std::to_string(i) + " is " + std::to_string(got[i]) + ", expected " +
           std::to_string(expected[i]);
  }
  return "";
}

}  // namespace fathom::testing
