// What state_sizes.hpp says is held against what algorithms allocate: the peak of a pool grows by
// so many bytes with each vertex that has no edges.
#include "fathom/algorithms/state_sizes.hpp"

#include <gtest/gtest.h>

#include <array>
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
#include "fathom/algorithms/pagerank/rwr_each.hpp"
#include "fathom/algorithms/radius/parts.hpp"
#include "fathom/algorithms/radius/radius.hpp"
#include "fathom/algorithms/reciprocity/reciprocity.hpp"
#include "fathom/algorithms/scc/scc.hpp"
#include "fathom/algorithms/similarity/similarity.hpp"
#include "fathom/algorithms/sssp/sssp.hpp"
#include "fathom/algorithms/subgraph/cross_edges.hpp"
#include "fathom/algorithms/subgraph/neighborhood.hpp"
#include "fathom/algorithms/subgraph/subgraph.hpp"
#include "fathom/algorithms/triangles/triangles.hpp"
#include "fathom/residency/graph_parts.hpp"
#include "tests/suites/zoo.hpp"
#include "tests/suites/zoo_csr.hpp"

namespace fathom {
namespace {

constexpr VertexId kLinked = 1024, kFewer = 16384, kMore = 32768;  // vertices
constexpr double kBit = 1. / 8;

graph::BuiltGraph with_isolated(VertexId vertices, bool directed) {
  zoo::RawGraph raw;
  raw.directed = directed;
  raw.vertices = static_cast<std::uint32_t>(vertices);
  raw.edges = zoo::random_edges(kLinked, 4 * kLinked, 7);
  zoo::Dice dice(3);
  for (std::size_t i = 0; i < raw.edges.size(); ++i)
    raw.weights.push_back(static_cast<float>(1 + dice.roll(9)));
  return zoo::build(raw);
}

struct StateCase {
  std::string name;
  StateSize size;
  std::function<void(const Context&, const Graph&)> run;
  double unused = 0;  // bytes per vertex that this graph does not need of it, at most
  bool directed = false;
};

std::vector<StateCase> state_cases(int devices) {
  const auto source = std::array<VertexId, 1>{5};
  const auto one = [](auto call) { return [=](const Context& c, const Graph& g) { call(c, g); }; };
  std::vector<StateCase> all;
  const auto add = [&](std::string name, StateSize size, auto call, double unused = 0,
                       bool directed = false) {
    all.push_back({std::move(name), size, one(call), unused, directed});
  };
  for (const bool parents : {false, true})
    for (const bool directed : {false, true})
      add(
          "bfs", bfs_state(parents, true),
          [=](const Context& c, const Graph& g) { bfs(c, g, source, {.parents = parents}); }, kBit,
          directed);  // hints
  add("bfs pushing", bfs_state(false, false),
      [=](const Context& c, const Graph& g) { bfs(c, g, source, {.direction = Direction::Push}); });
  add(
      "multi_bfs", multi_bfs_state(4),
      [=](const Context& c, const Graph& g) { multi_bfs(c, g, source, {}); }, 2 * kBit + 8);
  add(
      "harmonic", harmonic_state(),
      [](const Context& c, const Graph& g) { harmonic(c, g, {.samples = 3}); }, 3 * kBit);
  for (const bool directed : {false, true})
    add(
        "eccentricity", eccentricity_state(directed),
        [](const Context& c, const Graph& g) { eccentricities(c, g); },
        3 * kBit + (directed ? 4 : 3 * 4 + kIdBytes), directed);  // what is in host memory
  add(
      "closeness", closeness_state(),
      [](const Context& c, const Graph& g) { closeness(c, g, {.samples = 3}); }, 3 * kBit);
  add("sssp", sssp_state(), [](const Context& c, const Graph& g) { sssp(c, g, 5); });
  add("sssp in double", sssp_state(8), [](const Context& c, const Graph& g) {
    sssp(c, g, 5, {.precision = SsspPrecision::Double});
  });
  for (const bool wide : {false, true})
    add(
        "bellman-ford", bellman_ford_state(wide ? 8 : 4),
        [=](const Context& c, const Graph& g) {
          bellman_ford(c, g, 5, {wide ? SsspPrecision::Double : SsspPrecision::Float});
        },
        kIdBytes + 2 * kBit);  // where no cycle is looked for
  for (const bool sample : {false, true})
    add("cc", components_state(sample),
        [=](const Context& c, const Graph& g) { connected_components(c, g, {.sample = sample}); });
  for (const bool directed : {false, true})
    add(
        "scc", scc_state(directed, true),
        [](const Context& c, const Graph& g) { strongly_connected_components(c, g); }, 0, directed);
  for (const bool weighted : {false, true})
    for (const double tolerance : {1e-4, 1e-9})
      for (const bool personalized : {false, true})
        add("pagerank",
            pagerank_state({tolerance < 1e-6 ? 8. : 4., weighted, personalized, false, 1, true}),
            [=](const Context& c, const Graph& g) {
              PagerankOptions options;
              options.weighted = weighted;
              options.tolerance = tolerance;
              options.max_iterations = 3;
              const std::vector<double> shape(personalized ? g.vertices() : 0, 1.);
              options.personalization = shape;
              pagerank(c, g, options);
            });
  for (const bool weighted : {false, true})
    for (const double tolerance : {1e-4, 1e-9})
      for (const int walks : {4, 8})
        add("walks from each",
            pagerank_state({tolerance < 1e-6 ? 8. : 4., weighted, false, false, walks}),
            [=](const Context& c, const Graph& g) {
              RwrEachOptions options;
              options.walk.weighted = weighted;
              options.walk.tolerance = tolerance;
              options.walk.max_iterations = 3;
              const std::array<VertexId, 8> sources{0, 1, 2, 3, 4, 5, 6, 7};
              random_walks_from_each(
                  c, g, std::span(sources).first(static_cast<std::size_t>(walks)), options);
            });
  for (const bool weighted : {false, true}) {
    add("eigenvector", power_state("eigenvector", weighted), [=](const Context& c, const Graph& g) {
      eigenvector(c, g, {0, 3, weighted});
    });
    add("hits", hits_state(weighted), [=](const Context& c, const Graph& g) {
      hits(c, g, {0, 3, weighted});
    });
    add("katz", power_state("katz", weighted), [=](const Context& c, const Graph& g) {
      KatzOptions options;
      options.alpha = 1e-4;
      options.weighted = weighted;
      katz(c, g, options);
    });
  }
  for (const int batch : {1, 2, 4, 8})
    add(
        "bc of " + std::to_string(batch), betweenness_state(false, batch),
        [=](const Context& c, const Graph& g) {
          BetweennessOptions options;
          options.batch = batch;
          for (VertexId s = 0; s < 8; ++s) options.sources.push_back(s);
          EXPECT_EQ(betweenness(c, g, options).batch, batch);
        },
        // Of a level, and targets; and on one host a single search does without gains and marks.
        2 * kBit + (devices == 1 ? kIdBytes : 0) +
            (devices == 1 && batch == 1 ? 12 + 3 * kBit : 0));
  add(
      "bc by weight", betweenness_state(true),
      [](const Context& c, const Graph& g) {
        BetweennessOptions options;
        options.weighted = true;
        options.sources = {5};
        betweenness(c, g, options);
      },
      kIdBytes + 6 * kBit);
  // Entries are fewer than vertices, and have slots all at once.
  constexpr double kWindow = 8 + kIdBytes;
  for (const int batch : {1, 8})
    add(
        "edge-bc of " + std::to_string(batch), edge_betweenness_state(false, batch),
        [=](const Context& c, const Graph& g) {
          EdgeBetweennessOptions options;
          options.batch = batch;
          for (VertexId s = 0; s < 8; ++s) options.sources.push_back(s);
          EXPECT_EQ(edge_betweenness(c, g, options).batch, batch);
        },
        kWindow + 2 * kBit + (devices == 1 ? kIdBytes : 0) +
            (devices == 1 && batch == 1 ? 20 + 3 * kBit : 0));
  add(
      "edge-bc by weight", edge_betweenness_state(true),
      [](const Context& c, const Graph& g) {
        EdgeBetweennessOptions options;
        options.weighted = true;
        options.sources = {5};
        edge_betweenness(c, g, options);
      },
      kWindow + kIdBytes + 6 * kBit);
  for (const bool each : {false, true}) {
    StateSize size = triangles_state(each);
    size.whole += size.per_worker;  // one worker marks
    add(
        "tc", size,
        [=](const Context& c, const Graph& g) { count_triangles(c, g, {.per_vertex = each}); },
        kIdBytes);
  }
  for (const bool each : {false, true})
    add(
        "ktruss", ktruss_state(0, 0, each),
        [=](const Context& c, const Graph& g) { truss_decomposition(c, g, {.per_vertex = each}); },
        kIdBytes);
  for (const bool directed : {false, true}) {
    StateSize size = lcc_state(directed);
    size.whole += size.per_worker;
    add(
        "lcc", size, [](const Context& c, const Graph& g) { local_clustering(c, g); }, kIdBytes,
        directed);
  }
  for (const bool directed : {false, true})
    add(
        "kcore", kcore_state(directed, devices == 1),
        [](const Context& c, const Graph& g) { kcore(c, g); }, 2 * kBit, directed);
  for (const bool directed : {false, true})
    add(
        "mis", mis_state(directed, true),
        [](const Context& c, const Graph& g) { maximal_independent_set(c, g); }, 0, directed);
  for (const bool directed : {false, true})
    add(
        "color", color_state(directed, true, devices == 1),
        [](const Context& c, const Graph& g) { color_vertices(c, g); }, kBit, directed);
  for (const bool directed : {false, true})
    add(
        "cdlp", cdlp_state(directed),
        [](const Context& c, const Graph& g) { label_propagation(c, g); }, 0, directed);
  add("louvain", louvain_state(), [](const Context& c, const Graph& g) { louvain(c, g); });
  add("leiden", leiden_state(), [](const Context& c, const Graph& g) { leiden(c, g); });
  add(
      "levels", levels_state(devices == 1),
      [](const Context& c, const Graph& g) { topological_levels(c, g); }, kBit, true);
  add("msf", msf_state(), [](const Context& c, const Graph& g) { minimum_spanning_forest(c, g); });
  add("matching", matching_state(),
      [](const Context& c, const Graph& g) { maximal_matching(c, g); });
  add(
      "biconnected", biconnected_state(),
      [](const Context& c, const Graph& g) { biconnected_components(c, g); }, kIdBytes);
  for (const auto measure : {SimilarityMeasure::Jaccard, SimilarityMeasure::AdamicAdar}) {
    // Frontiers of so few are not sent as lists of half of all.
    add(
        "similarity", similarity_state(false, weighs_neighbors(measure), 10),
        [=](const Context& c, const Graph& g) { best_similar(c, g, {measure}); }, kIdBytes);
    add(
        "similarity of pairs", similarity_state(true, weighs_neighbors(measure), 0),
        [=](const Context& c, const Graph& g) {
          similarity_of(c, g, std::array{std::pair(VertexId{1}, VertexId{2})}, {measure});
        },
        kIdBytes);
  }
  for (const bool directed : {false, true})
    add(
        "bipartite", bipartite_state(), [](const Context& c, const Graph& g) { two_sides(c, g); },
        4 * kBit, directed);
  for (const std::uint32_t sketches : {2u, 32u}) {
    RadiusOptions options;
    options.sketches = sketches;
    add("radius", radius_state(sketches, score_slack(options) + 1),
        [=](const Context& c, const Graph& g) { estimate_radius(c, g, options); });
  }
  for (const bool directed : {false, true})
    add(
        "degrees", degrees_state(directed), [](const Context& c, const Graph& g) { degrees(c, g); },
        0, directed);
  for (const bool directed : {false, true})
    add(
        "assortativity", assortativity_state(),
        [](const Context& c, const Graph& g) { degree_assortativity(c, g); }, 0, directed);
  add("assortativity and rich clubs", assortativity_state(true),
      [](const Context& c, const Graph& g) { degree_assortativity(c, g, {true}); });
  add(
      "reciprocity", reciprocity_state(),
      [](const Context& c, const Graph& g) { reciprocity(c, g); }, 0, true);
  add(
      "neighborhood", neighborhood_state(),
      [=](const Context& c, const Graph& g) { neighborhood(c, g, source, {}); }, 2 * kBit);
  add("neighbor sampling", neighbor_sampling_state(), [=](const Context& c, const Graph& g) {
    NeighborSamplingOptions options;
    options.fan_out = {2};
    options.reads = SampleReads::Operators;
    NeighborSampler(c, g, options).sample(source);
  });
  return all;
}

/// Bytes that the peak of a device's memory grows by with each vertex.
double growth(const StateCase& its, int devices) {
  std::array<double, 2> peak{};
  for (const bool more : {false, true}) {
    CpuOptions cpu;
    cpu.threads = 1;
    cpu.devices = devices;
    const Context ctx = Context::cpu(cpu);
    ResidencyOptions residency;
    residency.kind = ResidencyOptions::Kind::Stream;
    residency.paging.page_bytes = 4096;
    residency.paging.frames = 64;
    residency.paging.strategy = Strategy::Performance;
    const Graph graph = make_graph(ctx, with_isolated(more ? kMore : kFewer, its.directed),
                                   its.directed, residency);
    its.run(ctx, graph);
    peak[more ? 1 : 0] = static_cast<double>(ctx.devices()[0].memory()->peak());
  }
  return (peak[1] - peak[0]) / (kMore - kFewer);
}

class StateSizesOn : public ::testing::TestWithParam<int> {};

TEST_P(StateSizesOn, AreWhatAlgorithmsAllocate) {
  const int devices = GetParam();
  for (const StateCase& its : state_cases(devices)) {
    SCOPED_TRACE(its.name);
    // Frontiers of one device may be lists; a graph may do without one of them.
    const double lists = devices == 1 ? its.size.lists : 0, no_list = lists > 0 ? kIdBytes : 0;
    const double offsets = sizeof(EdgeId) * (its.directed ? 2 : 1);
    const double state = growth(its, devices) - offsets;
    EXPECT_LE(state, its.size.whole + lists + .01);
    EXPECT_GE(state, its.size.whole + lists - its.unused - no_list - .01);
  }
}

TEST(StateSizes, OfTrussNumbersGrowWithTheEdges) {
  constexpr VertexId kVertices = 4096;
  std::array<double, 2> peak{}, edges{};
  for (const bool more : {false, true}) {
    const Context ctx = Context::cpu({1, MemoryPool::kUnlimited, 1, MemoryPool::kUnlimited, {}});
    ResidencyOptions residency;
    residency.kind = ResidencyOptions::Kind::Stream;
    residency.paging.page_bytes = 4096;
    residency.paging.frames = 8;
    residency.paging.strategy = Strategy::Performance;
    zoo::RawGraph raw{"Uniform", kVertices, false, {}, {}};
    raw.edges = zoo::random_edges(kVertices, (more ? 16 : 8) * kVertices, 7);
    const Graph graph = make_graph(ctx, zoo::build(raw), false, residency);
    edges[more ? 1 : 0] = static_cast<double>(truss_decomposition(ctx, graph).u.size());
    peak[more ? 1 : 0] = static_cast<double>(ctx.devices()[0].memory()->peak());
  }
  const auto of = [](double all) {
    return ktruss_state(kVertices, static_cast<std::uint64_t>(all), false).whole * kVertices;
  };
  // Tables of pages grow too.
  EXPECT_NEAR((peak[1] - peak[0]) / (of(edges[1]) - of(edges[0])), 1, .01);
}

TEST(StateSizes, OfCommonAlgorithmsAreWithinWhatIsReckonedWithBeforeOneIsKnown) {
  constexpr double kOffsets = 2 * sizeof(EdgeId);
  for (const StateSize& its :
       {bfs_state(true, true), sssp_state(), sssp_state(8), components_state(true),
        pagerank_state({8, true, false}), pagerank_state({8, false, true}),
        betweenness_state(false), kcore_state(true, true)}) {
    EXPECT_LE(its.whole + kOffsets, detail::kStatePerVertex) << its.algorithm;
  }
}

/// With as much as Auto takes for enough they run whole, so that more memory is never refused.
TEST(StateSizes, OfAlgorithmsThatCanBeSplitAndDoNotSweepFitBeforeAutoNoLongerSplits) {
  for (const StateSize& its :
       {bfs_state(true, true), sssp_state(), sssp_state(8), components_state(true)}) {
    EXPECT_GT(its.chunk, 0) << its.algorithm;
    EXPECT_LE(its.whole, detail::kSplitStatePerVertex) << its.algorithm;
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, StateSizesOn, ::testing::Values(1, 2),
                         ::testing::PrintToStringParamName());

}  // namespace
}  // namespace fathom
