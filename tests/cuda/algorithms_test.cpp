// All algorithms on a GPU, over every graph of the zoo and every residency, against the independent
// reference; results also pass their certificate on the CPU. Skipped without a device.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

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
#include "fathom/algorithms/pagerank/pagerank.hpp"
#include "fathom/algorithms/pagerank/rwr.hpp"
#include "fathom/algorithms/pagerank/rwr_each.hpp"
#include "fathom/algorithms/radius/radius.hpp"
#include "fathom/algorithms/reciprocity/reciprocity.hpp"
#include "fathom/algorithms/scc/scc.hpp"
#include "fathom/algorithms/similarity/similarity.hpp"
#include "fathom/algorithms/sssp/sssp.hpp"
#include "fathom/algorithms/subgraph/cross_edges.hpp"
#include "fathom/algorithms/subgraph/subgraph.hpp"
#include "fathom/algorithms/triangles/triangles.hpp"
#include "fathom/algorithms/walks/walks.hpp"
#include "fathom/reorder/order.hpp"
#include "tests/cuda/zoo_on_gpus.hpp"
#include "tests/reference/bfs.hpp"
#include "tests/reference/communities/label_propagation.hpp"
#include "tests/reference/components.hpp"
#include "tests/reference/degrees.hpp"
#include "tests/reference/dijkstra.hpp"
#include "tests/reference/kcore.hpp"
#include "tests/reference/parts.hpp"
#include "tests/reference/radius.hpp"
#include "tests/reference/ranks/pagerank.hpp"
#include "tests/reference/structure/assortativity.hpp"
#include "tests/reference/structure/clustering.hpp"
#include "tests/reference/structure/greedy_colors.hpp"
#include "tests/reference/structure/greedy_matching.hpp"
#include "tests/reference/structure/independent_set.hpp"
#include "tests/reference/structure/longest_paths.hpp"
#include "tests/reference/structure/scc.hpp"
#include "tests/reference/structure/similarity.hpp"
#include "tests/reference/structure/spanning_forest.hpp"
#include "tests/reference/structure/truss_numbers.hpp"
#include "tests/reference/structure/two_sides.hpp"
#include "tests/reference/triangles.hpp"
#include "tests/suites/sampling_suite.hpp"

namespace fathom {
namespace {

using testing::Check;
using testing::KnownGraph;
using testing::Placed;
using InOne = std::function<void(const Placed&)>;

template <class T>
std::vector<T> to_vector(const Array<T>& a) {
  return {a.begin(), a.end()};
}

/// The host's side of a check: certificates run on it.
Context one_thread() {
  CpuOptions options;
  options.threads = 1;
  return Context::cpu(options);
}

std::vector<std::uint32_t> depths_from(const KnownGraph& known, VertexId source) {
  std::vector<std::uint32_t> depths;
  for (const std::int32_t d : reference::bfs_depths(known.oracle, {source}))
    depths.push_back(static_cast<std::uint32_t>(d));
  return depths;
}

/// What is expected from each source.
template <class Find>
auto from_each(std::span<const VertexId> sources, const Find& find) {
  std::map<VertexId, decltype(find(VertexId{}))> expected;
  for (const VertexId source : sources) expected.emplace(source, find(source));
  return expected;
}

InOne bfs_depths(const KnownGraph& known) {
  const auto expected =
      from_each(known.some_sources(), [&](VertexId source) { return depths_from(known, source); });
  return [=](const Placed& p) {
    const Context host = one_thread();
    for (const bool in_edges : {true, false})
      for (const auto& [source, depths] : expected)
        for (const Direction direction : {Direction::Auto, Direction::Push, Direction::Pull}) {
          if (direction == Direction::Pull && !p.graph(in_edges).has_in()) continue;
          BfsOptions options;
          options.direction = direction;
          options.parents = true;
          const BfsResult result = bfs(p.ctx, p.graph(in_edges), {{source}}, options);
          EXPECT_EQ(to_vector(result.depth), depths);
          verify_bfs(host, p.on_host(host), {{source}}, options, result);
        }
  };
}

InOne multi_bfs_rows(const KnownGraph& known) {
  std::vector<VertexId> sources;  // small graphs: some of them several times
  for (VertexId i = 0; known.raw.vertices > 0 && i < MultiSearch::kMost; ++i)
    sources.push_back((i * 37 + i % 5 * 101) % known.raw.vertices);
  const auto expected =
      from_each(sources, [&](VertexId source) { return depths_from(known, source); });
  return [=](const Placed& p) {
    if (sources.empty()) return;
    const Context host = one_thread();
    for (const bool in_edges : {true, false})
      for (const std::size_t count : {1, 63, 64})
        for (const Direction direction : {Direction::Auto, Direction::Push, Direction::Pull}) {
          if (direction == Direction::Pull && !p.graph(in_edges).has_in()) continue;
          MultiBfsOptions options;
          options.direction = direction;
          const auto some = std::span(sources).first(count);
          const MultiBfsResult result = multi_bfs(p.ctx, p.graph(in_edges), some, options);
          for (std::size_t i = 0; i < count; ++i) {
            const auto row = result.depths(i);
            ASSERT_EQ(std::vector(row.begin(), row.end()), expected.at(sources[i]))
                << "source " << sources[i];
          }
          if (count == 1) verify_multi_bfs(host, p.on_host(host), some, options, result);
        }
  };
}

InOne sssp_distances(const KnownGraph& known) {
  const auto expected = from_each(known.some_sources(), [&](VertexId source) {
    return reference::dijkstra_float(known.oracle, source);
  });
  return [=](const Placed& p) {
    const Context host = one_thread();
    for (const auto& [source, distances] : expected)
      for (const Weight delta : {Weight{0}, Weight{3}}) {
        const SsspResult result = sssp(p.ctx, p.graph(), source, {delta});
        EXPECT_EQ(to_vector(result.distance), distances);
        verify_sssp(host, p.on_host(host), source, result);
      }
  };
}

InOne sssp_double_distances(const KnownGraph& known) {
  const auto expected = from_each(known.some_sources(), [&](VertexId source) {
    return reference::dijkstra(known.oracle, {source});
  });
  return [=](const Placed& p) {
    const Context host = one_thread();
    for (const auto& [source, distances] : expected)
      for (const double delta : {0., 3.}) {
        const SsspOptions options{.delta = delta, .precision = SsspPrecision::Double};
        const SsspResult result = sssp(p.ctx, p.graph(), source, options);
        EXPECT_EQ(to_vector(result.double_distance), distances);
        verify_sssp(host, p.on_host(host), source, result);
      }
  };
}

InOne bellman_ford_distances(const KnownGraph& known) {
  const auto expected = from_each(known.some_sources(), [&](VertexId source) {
    return reference::dijkstra(known.oracle, {source});
  });
  return [=](const Placed& p) {
    const Context host = one_thread();
    for (const auto& [source, distances] : expected) {
      const BellmanFordResult result =
          bellman_ford(p.ctx, p.graph(), source, {SsspPrecision::Double});
      EXPECT_EQ(to_vector(result.double_distance), distances);
      verify_bellman_ford(host, p.on_host(host), source, result);
      const BellmanFordResult narrow = bellman_ford(p.ctx, p.graph(), source);
      verify_bellman_ford(host, p.on_host(host), source, narrow);
    }
  };
}

InOne component_labels(const KnownGraph& known) {
  const auto expected = reference::components(known.oracle);
  return [=](const Placed& p) {
    const Context host = one_thread();
    for (const bool in_edges : {true, false}) {
      const ComponentsResult result = connected_components(p.ctx, p.graph(in_edges));
      EXPECT_EQ(to_vector(result.label), expected);
      verify_components(host, p.on_host(host), result);
    }
  };
}

InOne strong_component_labels(const KnownGraph& known) {
  const auto expected = reference::strong_components(known.oracle);
  return [=](const Placed& p) {
    const Context host = one_thread();
    for (const bool in_edges : {true, false}) {
      const SccResult result = strongly_connected_components(p.ctx, p.graph(in_edges));
      EXPECT_EQ(to_vector(result.label), expected);
      verify_scc(host, p.on_host(host), result);
    }
  };
}

InOne pageranks(const KnownGraph& known) {
  std::map<bool, std::vector<double>> expected;
  for (const bool weighted : {false, true}) {
    reference::PagerankOptions r;
    r.tolerance = 1e-14;
    r.weighted = weighted;
    expected[weighted] = reference::pagerank(known.oracle, r).rank;
  }
  return [=](const Placed& p) {
    const Context host = one_thread();
    for (const bool in_edges : {true, false})
      for (const bool weighted : {false, true})
        for (const double tolerance : {1e-6, 1e-10}) {
          PagerankOptions options;
          options.weighted = weighted;
          options.tolerance = tolerance;
          options.max_iterations = 1000;
          const PagerankResult result = pagerank(p.ctx, p.graph(in_edges), options);
          EXPECT_TRUE(result.converged);
          double distance = 0;
          for (std::size_t v = 0; v < result.rank.size(); ++v)
            distance += std::abs(result.rank[v] - expected.at(weighted)[v]);
          EXPECT_LE(distance, 2 * (result.residual + 10 * 0x1p-24) * .85 / .15 + 1e-12);
          verify_pagerank(host, p.on_host(host), options, result);
        }
  };
}

InOne betweennesses(const KnownGraph& known) {
  struct Asked {
    BetweennessOptions options;
    std::vector<double> centrality;
  };
  std::vector<Asked> asked;
  const Context host = one_thread();
  for (const bool weighted : {false, true}) {
    BetweennessOptions options;
    options.weighted = weighted;
    options.sources = known.some_sources();
    for (VertexId v = 1; v < known.raw.vertices && options.sources.size() < 9; v += 7)
      options.sources.push_back(v);
    if (options.sources.empty()) continue;
    const auto expected = betweenness(host, known.place(host, {}), options);
    asked.push_back({options, to_vector(expected.centrality)});
  }
  return [=](const Placed& p) {
    for (const Asked& a : asked) {
      const BetweennessResult result = betweenness(p.ctx, p.graph(), a.options);
      ASSERT_EQ(result.centrality.size(), a.centrality.size());
      for (std::size_t v = 0; v < a.centrality.size(); ++v)
        EXPECT_NEAR(result.centrality[v], a.centrality[v], 1e-9 * (1 + std::abs(a.centrality[v])));
    }
  };
}

InOne edge_betweennesses(const KnownGraph& known) {
  struct Asked {
    EdgeBetweennessOptions options;
    std::vector<VertexId> u, v;
    std::vector<double> centrality;
  };
  std::vector<Asked> asked;
  const Context host = one_thread();
  for (const bool weighted : {false, true}) {
    EdgeBetweennessOptions options;
    options.weighted = weighted;
    options.sources = known.some_sources();
    for (VertexId v = 1; v < known.raw.vertices && options.sources.size() < 9; v += 7)
      options.sources.push_back(v);
    if (options.sources.empty()) continue;
    if (weighted) options.targets = options.sources;
    const auto expected = edge_betweenness(host, known.place(host, {}), options);
    asked.push_back(
        {options, to_vector(expected.u), to_vector(expected.v), to_vector(expected.centrality)});
  }
  return [=](const Placed& p) {
    for (const Asked& a : asked) {
      const EdgeBetweennessResult result = edge_betweenness(p.ctx, p.graph(), a.options);
      EXPECT_EQ(to_vector(result.u), a.u);
      EXPECT_EQ(to_vector(result.v), a.v);
      for (std::size_t i = 0; i < result.rows; ++i)
        EXPECT_NEAR(result.centrality[i], a.centrality[i], 1e-9 * (1 + a.centrality[i]));
    }
  };
}

InOne triangles(const KnownGraph& known) {
  const auto expected = reference::count_triangles(known.oracle);
  return [=](const Placed& p) {
    if (p.where.residency.gpu.id_bytes > GpuEdgeOptions::kPlainIdBytes) return;  // refused
    EXPECT_EQ(count_triangles(p.ctx, p.graph()).total, expected.total);
    const TrianglesResult each = count_triangles(p.ctx, p.graph(), {true});
    EXPECT_EQ(each.total, expected.total);
    EXPECT_EQ(to_vector(each.per_vertex), expected.per_vertex);
  };
}

InOne clusterings(const KnownGraph& known) {
  const reference::Clustering expected = reference::clustering(known.oracle);
  return [=](const Placed& p) {
    if (p.where.residency.gpu.id_bytes > GpuEdgeOptions::kPlainIdBytes) return;  // refused
    const Context host = one_thread();
    for (const bool in_edges : {true, false}) {
      const LccResult result = local_clustering(p.ctx, p.graph(in_edges));
      EXPECT_EQ(to_vector(result.coefficient), expected.coefficient);
      EXPECT_EQ(result.links, expected.links);
      EXPECT_EQ(result.pairs, expected.pairs);
      verify_lcc(host, p.on_host(host), result);
    }
  };
}

InOne truss_numbers(const KnownGraph& known) {
  const reference::Trusses expected = reference::truss_numbers(known.oracle);
  return [=](const Placed& p) {
    const Context host = one_thread();
    const KtrussResult result = truss_decomposition(p.ctx, p.graph(true));
    ASSERT_EQ(result.u.size(), expected.size());
    std::size_t row = 0;
    for (const auto& [ends, its] : expected) {
      EXPECT_EQ(std::pair(result.u[row], result.v[row]), ends);
      EXPECT_EQ(result.truss[row], its.number);
      EXPECT_EQ(result.layer[row++], its.layer);
    }
    verify_ktruss(host, p.on_host(host), {}, result);
  };
}

InOne core_numbers(const KnownGraph& known) {
  const reference::Cores expected = reference::core_numbers(known.oracle);
  return [=](const Placed& p) {
    const Context host = one_thread();
    for (const bool in_edges : {true, false}) {
      const KcoreResult result = kcore(p.ctx, p.graph(in_edges));
      EXPECT_EQ(to_vector(result.core), expected.core);
      EXPECT_EQ(to_vector(result.layer), expected.layer);
      verify_kcore(host, p.on_host(host), {}, result);
    }
  };
}

InOne independent_sets(const KnownGraph& known) {
  const std::vector<MisOptions> asked{{}, {5, MisOrder::Random}};
  std::vector<std::vector<std::uint32_t>> expected;
  for (const MisOptions& options : asked)
    expected.push_back(reference::greedy_independent_set(known.oracle, options.seed,
                                                         options.order == MisOrder::Degree));
  return [=](const Placed& p) {
    const Context host = one_thread();
    for (const bool in_edges : {true, false})
      for (std::size_t i = 0; i < asked.size(); ++i) {
        const MisResult result = maximal_independent_set(p.ctx, p.graph(in_edges), asked[i]);
        EXPECT_EQ(to_vector(result.in_set), expected[i]);
        verify_mis(host, p.on_host(host), asked[i], result);
      }
  };
}

InOne greedy_colourings(const KnownGraph& known) {
  const ColorOptions options{5};
  const std::vector<std::uint32_t> expected = reference::greedy_colors(known.oracle, options.seed);
  return [=](const Placed& p) {
    const Context host = one_thread();
    for (const bool in_edges : {true, false}) {
      const ColorResult result = color_vertices(p.ctx, p.graph(in_edges), options);
      EXPECT_EQ(to_vector(result.color), expected);
      verify_color(host, p.on_host(host), options, result);
    }
  };
}

InOne propagated_labels(const KnownGraph& known) {
  const CdlpOptions options{5};
  const reference::Propagated expected =
      reference::propagate_labels(known.oracle, options.iterations);
  const CdlpOptions by_blocks{5, {}, true, 9};
  const std::vector<VertexId> expected_by_blocks =
      reference::propagate_labels_by_blocks(known.oracle, 5, 9).label;
  return [=](const Placed& p) {
    const Context host = one_thread();
    for (const bool in_edges : {true, false}) {
      const CdlpResult result = label_propagation(p.ctx, p.graph(in_edges), options);
      EXPECT_EQ(to_vector(result.label), expected.label);
      EXPECT_EQ(result.stable, expected.stable);
      verify_cdlp(host, p.on_host(host), options, result);
      EXPECT_EQ(to_vector(label_propagation(p.ctx, p.graph(in_edges), by_blocks).label),
                expected_by_blocks);
    }
  };
}

InOne similarities(const KnownGraph& known) {
  const auto n = static_cast<VertexId>(known.raw.vertices);
  if (known.raw.directed || n < 2) return [](const Placed&) {};
  const std::size_t rows = reference::Neighborhoods(known.oracle).best("common", 0, 4).size();
  return [n, rows](const Placed& p) {
    const Context host = one_thread();
    const std::vector<VertexId> sources{0};
    const auto last = static_cast<VertexId>(n - 1);
    const std::array pairs{std::pair(VertexId{0}, last), std::pair(last, VertexId{0})};
    for (const auto measure : {SimilarityMeasure::Jaccard, SimilarityMeasure::AdamicAdar}) {
      const SimilarityOptions options{measure, 4, sources};
      const SimilarityResult best = best_similar(p.ctx, p.graph(true), options);
      EXPECT_EQ(best.rows, rows);
      verify_best_similar(host, p.on_host(host), options, best);
      const SimilarityResult result = similarity_of(p.ctx, p.graph(true), pairs, options);
      verify_similarity(host, p.on_host(host), pairs, options, result);
    }
  };
}

InOne levels_and_cycles(const KnownGraph& known) {
  std::vector<std::uint32_t> expected;
  std::vector<VertexId> cycle;
  if (known.raw.directed) {
    for (const std::int64_t level : reference::longest_paths(known.oracle))
      expected.push_back(level < 0 ? kNoLevel : static_cast<std::uint32_t>(level));
    const Context host = one_thread();
    cycle = topological_levels(host, known.place(host, {})).cycle;
  }
  return [=](const Placed& p) {
    if (!p.raw().directed) return;  // refused
    const Context host = one_thread();
    for (const bool in_edges : {true, false}) {
      const LevelsResult result = topological_levels(p.ctx, p.graph(in_edges));
      EXPECT_EQ(to_vector(result.level), expected);
      EXPECT_EQ(result.cycle, cycle);
      verify_levels(host, p.on_host(host), result);
    }
  };
}

InOne spanning_forests(const KnownGraph& known) {
  std::map<bool, reference::SpanningForest> expected;
  if (!known.raw.directed)
    for (const bool maximum : {false, true})
      expected[maximum] = reference::spanning_forest(known.oracle, maximum);
  return [=](const Placed& p) {
    const Context host = one_thread();
    for (const auto& [maximum, forest] : expected) {  // directed: refused
      const MsfResult result = minimum_spanning_forest(p.ctx, p.graph(), {maximum});
      EXPECT_EQ(to_vector(result.parent), forest.parent);
      EXPECT_EQ(to_vector(result.weight), forest.weight);
      verify_msf(host, p.on_host(host), {maximum}, result);
    }
  };
}

InOne greedy_matchings(const KnownGraph& known) {
  if (known.raw.directed) return [](const Placed&) {};  // refused
  const MatchingOptions options{5};
  const reference::Matching expected = reference::greedy_matching(known.oracle, options.seed);
  return [=](const Placed& p) {
    const Context host = one_thread();
    const MatchingResult result = maximal_matching(p.ctx, p.graph(), options);
    EXPECT_EQ(to_vector(result.partner), expected.partner);
    EXPECT_EQ(to_vector(result.weight), expected.weight);
    verify_matching(host, p.on_host(host), options, result);
  };
}

InOne biconnected_edges(const KnownGraph& known) {
  if (known.raw.directed) return [](const Placed&) {};  // refused
  const Context host = one_thread();
  const auto expected = std::make_shared<const BiconnectedResult>(
      biconnected_components(host, known.place(host, {})));
  return [=](const Placed& p) {
    const Context here = one_thread();
    const BiconnectedResult result = biconnected_components(p.ctx, p.graph());
    EXPECT_EQ(to_vector(result.component), to_vector(expected->component));
    EXPECT_EQ(to_vector(result.parent), to_vector(expected->parent));
    EXPECT_EQ(to_vector(result.articulation), to_vector(expected->articulation));
    EXPECT_EQ(to_vector(result.bridge), to_vector(expected->bridge));
    verify_biconnected(here, p.on_host(here), result);
  };
}

InOne communities_by_modularity(const KnownGraph& known) {
  LouvainResult expected;
  if (!known.raw.directed) {
    const Context host = one_thread();
    expected = louvain(host, known.place(host, {}));
  }
  const auto community = to_vector(expected.community);
  return [=, modularity = expected.modularity](const Placed& p) {
    if (p.raw().directed) return;  // refused
    const Context host = one_thread();
    const LouvainResult result = louvain(p.ctx, p.graph());
    EXPECT_EQ(to_vector(result.community), community);
    EXPECT_EQ(result.modularity, modularity);
    verify_louvain(host, p.on_host(host), {}, result);
  };
}

InOne connected_communities(const KnownGraph& known) {
  LeidenResult expected;
  if (!known.raw.directed) {
    const Context host = one_thread();
    expected = leiden(host, known.place(host, {}));
  }
  const auto community = to_vector(expected.community);
  return [=, modularity = expected.modularity](const Placed& p) {
    if (p.raw().directed) return;  // refused
    const Context host = one_thread();
    const LeidenResult result = leiden(p.ctx, p.graph());
    EXPECT_EQ(to_vector(result.community), community);
    EXPECT_EQ(result.modularity, modularity);
    verify_leiden(host, p.on_host(host), {}, result);
  };
}

InOne sides_and_odd_cycles(const KnownGraph& known) {
  std::vector<std::uint32_t> expected;
  for (const std::int64_t side : reference::two_sides(known.oracle))
    expected.push_back(side < 0 ? kNoSide : static_cast<std::uint32_t>(side));
  const Context host = one_thread();
  const std::vector<VertexId> cycle = two_sides(host, known.place(host, {})).cycle;
  return [=](const Placed& p) {
    const Context here = one_thread();
    for (const bool in_edges : {true, false}) {
      const BipartiteResult result = two_sides(p.ctx, p.graph(in_edges));
      EXPECT_EQ(to_vector(result.side), expected);
      EXPECT_EQ(result.cycle, cycle);
      verify_bipartite(here, p.on_host(here), result);
    }
  };
}

InOne degree_counts(const KnownGraph& known) {
  const reference::Degrees expected = reference::degrees(known.oracle);
  return [=](const Placed& p) {
    for (const bool in_edges : {true, false}) {
      const DegreesResult result = degrees(p.ctx, p.graph(in_edges));
      EXPECT_EQ(to_vector(result.out), expected.out);
      EXPECT_TRUE(!p.raw().directed || to_vector(result.in) == expected.in);
    }
  };
}

InOne random_walks(const KnownGraph& known) {
  const std::vector<VertexId> sources{known.raw.vertices / 2};
  std::vector<double> expected;
  if (known.raw.vertices > 0) {
    reference::PagerankOptions r;
    r.tolerance = 1e-14;
    r.personalization.assign(known.raw.vertices, 0.0);
    r.personalization[sources[0]] = 1;
    expected = reference::pagerank(known.oracle, r).rank;
  }
  return [=](const Placed& p) {
    if (expected.empty()) return;
    const Context host = one_thread();
    RwrOptions options;
    options.tolerance = 1e-10;
    options.max_iterations = 1000;
    const RwrResult result = random_walk_with_restart(p.ctx, p.graph(), sources, options);
    double distance = 0;
    for (std::size_t v = 0; v < expected.size(); ++v)
      distance += std::abs(result.probability[v] - expected[v]);
    EXPECT_LE(distance, 1e-9);
    verify_random_walk(host, p.on_host(host), sources, options, result);
  };
}

InOne walks_from_each(const KnownGraph& known) {
  std::vector<VertexId> sources;  // blocks of 8, of 4 and one alone
  for (VertexId v = 0; v < known.raw.vertices && v < 13; ++v) sources.push_back(v);
  if (sources.empty()) return [](const Placed&) {};
  return [=](const Placed& p) {
    const Context host = one_thread();
    for (const double tolerance : {1e-5, 1e-9})
      for (const bool in_edges : {true, false}) {
        RwrEachOptions options;
        options.walk.tolerance = tolerance;
        options.walk.max_iterations = 1000;
        options.walk.weighted = true;
        const RwrEachResult result =
            random_walks_from_each(p.ctx, p.graph(in_edges), sources, options);
        EXPECT_TRUE(result.report.converged);
        verify_walks_from_each(host, p.on_host(host), sources, options, result);
      }
  };
}

/// Walks of both orders, in few and in many at a time, are those that the host draws.
InOne drawn_walks(const KnownGraph& known) {
  struct Drawn {
    WalkOptions options;
    std::vector<VertexId> rows;
  };
  const auto draw = [](const Context& ctx, const Graph& graph, const WalkOptions& options) {
    std::vector<VertexId> rows;
    fathom::random_walks(ctx, graph, {}, options,
                         [&](std::uint64_t, std::span<const VertexId> drawn) {
                           rows.insert(rows.end(), drawn.begin(), drawn.end());
                         });
    return rows;
  };
  const bool weighted = !known.raw.weights.empty();
  const Context here = one_thread();
  const Graph graph = known.place(here, {});
  std::vector<Drawn> expected;
  for (const WalkOptions& options :
       {WalkOptions{.length = 3, .weighted = weighted, .restart = .1, .seed = 4},
        WalkOptions{.length = 3, .weighted = weighted, .p = .25, .q = 6, .seed = 5},
        WalkOptions{.length = 2, .p = 10, .q = .1, .seed = 6, .batch = 256}})
    expected.push_back({options, draw(here, graph, options)});
  return [=](const Placed& p) {
    const Context host = one_thread();
    for (const Drawn& its : expected) {
      const std::vector<VertexId> rows = draw(p.ctx, p.graph(), its.options);
      EXPECT_EQ(rows, its.rows);
      verify_walks(p.on_host(host), {}, its.options, 0, rows);
    }
  };
}

InOne sketched_radii(const KnownGraph& known) {
  const reference::Radii expected = reference::sketched_radii(known.oracle, 32, 1, .9);
  return [=](const Placed& p) {
    for (const bool in_edges : {true, false}) {
      const RadiusResult result = estimate_radius(p.ctx, p.graph(in_edges));
      EXPECT_EQ(to_vector(result.effective_radius), expected.effective);
      EXPECT_EQ(to_vector(result.farthest), expected.farthest);
      ASSERT_EQ(result.pairs.size(), expected.pairs.size());
      for (std::size_t h = 0; h < expected.pairs.size(); ++h)
        EXPECT_NEAR(result.pairs[h], expected.pairs[h], 1e-4 * expected.pairs[h]);
    }
  };
}

InOne egonets(const KnownGraph& known) {
  const auto expected = from_each(known.some_sources(), [&](VertexId source) {
    return reference::hops_within(known.oracle, {source}, 2, reference::Follow::Both);
  });
  return [=](const Placed& p) {
    const Context host = one_thread();
    const NeighborhoodOptions options{2, EdgeMode::All};
    for (const auto& [source, hops] : expected) {
      const EgonetResult net = egonet(p.ctx, p.graph(), {{source}}, options);
      EXPECT_EQ(to_vector(net.around.hops), hops);
      verify_egonet(host, p.on_host(host), {{source}}, options, net);
    }
  };
}

InOne edges_between_sets(const KnownGraph& known) {
  std::vector<std::uint32_t> set(known.raw.vertices);
  for (VertexId v = 0; v < known.raw.vertices; ++v)
    set[v] = v % 5 == 4 ? kNoSet : static_cast<std::uint32_t>(v % 5);
  const auto expected = reference::edges_across(known.oracle, set);
  return [=](const Placed& p) {
    const Context host = one_thread();
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> shown;
    const CrossEdgesResult result =
        cross_edges(p.ctx, p.graph(), set, [&](VertexId u, VertexId v, Weight) {
          ++shown[{set[u], set[v]}];
        });
    EXPECT_EQ(shown, expected);
    verify_cross_edges(host, p.on_host(host), set, result);
  };
}

/// Where the host has the lists in reach it reads them itself, unless it is told not to.
InOne neighbor_samples(const KnownGraph& known) {
  const Context host = one_thread();
  const Graph at_rest = known.place(host, {});
  const auto cases = testing::sampling_cases(!known.raw.weights.empty());
  std::vector<std::vector<reference::Sample>> expected;
  for (const testing::SamplingCase& its : cases)
    expected.push_back(testing::SampledCase(its, at_rest).run(host, at_rest, SampleReads::Host));
  return [=](const Placed& p) {
    for (std::size_t i = 0; i < cases.size(); ++i)
      for (const SampleReads reads : {SampleReads::Auto, SampleReads::Operators})
        EXPECT_EQ(testing::SampledCase(cases[i], p.graph()).run(p.ctx, p.graph(), reads),
                  expected[i])
            << cases[i].name;
  };
}

InOne harmonic_centralities(const KnownGraph& known) {
  const HarmonicOptions options{known.raw.vertices < 2 ? 0 : std::min(known.raw.vertices, 40u), 3};
  const Context host = one_thread();
  const auto expected = to_vector(harmonic(host, known.place(host, {}), options).centrality);
  return [=](const Placed& p) {
    const Context verifier = one_thread();
    for (const bool in_edges : {true, false}) {
      const HarmonicResult result = harmonic(p.ctx, p.graph(in_edges), options);
      EXPECT_EQ(to_vector(result.centrality), expected);
      verify_harmonic(verifier, p.on_host(verifier), options, result);
    }
  };
}

InOne closeness_centralities(const KnownGraph& known) {
  const ClosenessOptions options{known.raw.vertices < 2 ? 0 : std::min(known.raw.vertices, 40u), 3};
  const Context host = one_thread();
  const auto expected = to_vector(closeness(host, known.place(host, {}), options).centrality);
  return [=](const Placed& p) {
    const Context verifier = one_thread();
    for (const bool in_edges : {true, false}) {
      const ClosenessResult result = closeness(p.ctx, p.graph(in_edges), options);
      EXPECT_EQ(to_vector(result.centrality), expected);
      verify_closeness(verifier, p.on_host(verifier), options, result);
    }
  };
}

InOne exact_eccentricities(const KnownGraph& known) {
  const Context host = one_thread();
  const EccentricityResult found = eccentricities(host, known.place(host, {}));
  const auto expected = to_vector(found.eccentricity);
  const std::uint64_t searches = found.searches;
  return [=](const Placed& p) {
    const Context verifier = one_thread();
    for (const bool in_edges : {true, false}) {
      const EccentricityResult result = eccentricities(p.ctx, p.graph(in_edges));
      EXPECT_EQ(to_vector(result.eccentricity), expected);
      EXPECT_EQ(result.searches, searches);
      verify_eccentricities(verifier, p.on_host(verifier), {}, result);
    }
  };
}

InOne power_iterations(const KnownGraph& known) {
  const bool weighted = !known.raw.weights.empty();
  const Context host = one_thread();
  const EigenvectorOptions eigen{1e-9, 40, weighted};
  KatzOptions walks;
  walks.alpha = 1e-4;
  walks.tolerance = 1e-9;
  const auto vectors = to_vector(eigenvector(host, known.place(host, {}), eigen).centrality);
  const HitsOptions both{1e-9, 40, weighted};
  const HitsResult of_both = hits(host, known.place(host, {}), both);
  const auto hubs = to_vector(of_both.hub), authorities = to_vector(of_both.authority);
  const auto sums = to_vector(katz(host, known.place(host, {}), walks).centrality);
  return [=](const Placed& p) {
    const Context verifier = one_thread();
    const double slack = 1e-9 + 2e-9 * static_cast<double>(vectors.size());
    for (const bool in_edges : {true, false}) {
      const EigenvectorResult a = eigenvector(p.ctx, p.graph(in_edges), eigen);
      const KatzResult b = katz(p.ctx, p.graph(in_edges), walks);
      const HitsResult c = hits(p.ctx, p.graph(in_edges), both);
      for (std::size_t v = 0; v < vectors.size(); ++v) {
        EXPECT_NEAR(c.hub[v], hubs[v], slack) << v;
        EXPECT_NEAR(c.authority[v], authorities[v], slack) << v;
        EXPECT_NEAR(a.centrality[v], vectors[v], slack) << v;
        EXPECT_NEAR(b.centrality[v], sums[v], slack) << v;
      }
      verify_eigenvector(verifier, p.on_host(verifier), eigen, a);
      verify_katz(verifier, p.on_host(verifier), walks, b);
      verify_hits(verifier, p.on_host(verifier), both, c);
    }
  };
}

InOne assortativities(const KnownGraph& known) {
  const Context host = one_thread();
  const AssortativityOptions options{!known.raw.directed};
  const AssortativityResult expected = degree_assortativity(host, known.place(host, {}), options);
  const auto means = to_vector(expected.neighbor_degree);
  return [=, coefficient = expected.coefficient, clubs = expected.rich_club](const Placed& p) {
    const Context here = one_thread();
    for (const bool in_edges : {true, false}) {
      const AssortativityResult result = degree_assortativity(p.ctx, p.graph(in_edges), options);
      EXPECT_EQ(to_vector(result.neighbor_degree), means);
      EXPECT_TRUE(result.coefficient == coefficient || std::isnan(coefficient));
      EXPECT_EQ(result.rich_club, clubs);
      verify_assortativity(here, p.on_host(here), result);
    }
  };
}

InOne answered_edges(const KnownGraph& known) {
  if (!known.raw.directed) return [](const Placed&) {};
  const std::vector<EdgeId> expected = reference::answered_edges(known.oracle);
  return [=](const Placed& p) {
    const Context host = one_thread();
    for (const bool in_edges : {true, false}) {
      const ReciprocityResult result = reciprocity(p.ctx, p.graph(in_edges));
      EXPECT_EQ(to_vector(result.answered), expected);
      verify_reciprocity(host, p.on_host(host), result);
    }
  };
}

InOne orders(const KnownGraph& known) {
  std::map<std::string, std::vector<VertexId>> expected;
  const Context host = one_thread();
  for (const std::string& name : reorder::method_names()) {
    if (name == "bp") continue;  // needs lists that the host can read
    const auto order =
        reorder::make_order(host, known.place(host, {}), {*reorder::method_of(name)});
    expected[name].assign(order.positions().begin(), order.positions().end());
  }
  return [=](const Placed& p) {
    for (const auto& [name, positions] : expected) {
      const auto found = reorder::make_order(p.ctx, p.graph(), {*reorder::method_of(name)});
      EXPECT_TRUE(std::equal(positions.begin(), positions.end(), found.positions().begin(),
                             found.positions().end()))
          << name;
    }
  };
}

const std::vector<Check>& checks() {
  static const std::vector<Check> all{{"BfsDepths", bfs_depths},
                                      {"MultiBfsRows", multi_bfs_rows},
                                      {"SsspDistances", sssp_distances},
                                      {"SsspDoubleDistances", sssp_double_distances},
                                      {"BellmanFord", bellman_ford_distances},
                                      {"Components", component_labels},
                                      {"StrongComponents", strong_component_labels},
                                      {"Pagerank", pageranks},
                                      {"Betweenness", betweennesses},
                                      {"EdgeBetweenness", edge_betweennesses},
                                      {"Triangles", triangles},
                                      {"Clusterings", clusterings},
                                      {"Assortativities", assortativities},
                                      {"AnsweredEdges", answered_edges},
                                      {"CoreNumbers", core_numbers},
                                      {"TrussNumbers", truss_numbers},
                                      {"IndependentSets", independent_sets},
                                      {"Colours", greedy_colourings},
                                      {"Labels", propagated_labels},
                                      {"Similar", similarities},
                                      {"Levels", levels_and_cycles},
                                      {"SpanningForests", spanning_forests},
                                      {"BiconnectedEdges", biconnected_edges},
                                      {"GreedyMatchings", greedy_matchings},
                                      {"Modularity", communities_by_modularity},
                                      {"ConnectedCommunities", connected_communities},
                                      {"Sides", sides_and_odd_cycles},
                                      {"Degrees", degree_counts},
                                      {"RandomWalk", random_walks},
                                      {"WalksFromEach", walks_from_each},
                                      {"DrawnWalks", drawn_walks},
                                      {"Radii", sketched_radii},
                                      {"Egonets", egonets},
                                      {"CrossEdges", edges_between_sets},
                                      {"NeighborSamples", neighbor_samples},
                                      {"HarmonicCentrality", harmonic_centralities},
                                      {"ClosenessCentrality", closeness_centralities},
                                      {"Eccentricities", exact_eccentricities},
                                      {"PowerIterations", power_iterations},
                                      {"Orders", orders}};
  return all;
}

/// Where vertex state is split: the algorithms that can be, and how many chunks they say they used.
std::uint32_t chunks_of(const Placed& p) {
  if (p.raw().vertices == 0) return 0;
  return std::max<std::uint32_t>(p.where.residency.paging.chunks, 1) *
         static_cast<std::uint32_t>(p.where.cuda.devices.size());
}

InOne split_bfs_depths(const KnownGraph& known) {
  const auto expected =
      from_each(known.some_sources(), [&](VertexId source) { return depths_from(known, source); });
  return [=](const Placed& p) {
    const Context host = one_thread();
    for (const auto& [source, depths] : expected) {
      BfsOptions options;
      options.parents = true;
      const BfsResult result = bfs(p.ctx, p.graph(), {{source}}, options);
      EXPECT_EQ(result.report.chunks, chunks_of(p));
      EXPECT_EQ(to_vector(result.depth), depths);
      verify_bfs(host, p.on_host(host), {{source}}, options, result);
    }
  };
}

InOne split_sssp_distances(const KnownGraph& known) {
  const auto expected = from_each(known.some_sources(), [&](VertexId source) {
    return reference::dijkstra_float(known.oracle, source);
  });
  return [=](const Placed& p) {
    for (const auto& [source, distances] : expected) {
      const SsspResult result = sssp(p.ctx, p.graph(), source, {});
      EXPECT_EQ(result.report.chunks, chunks_of(p));
      EXPECT_EQ(to_vector(result.distance), distances);
    }
  };
}

InOne split_sssp_double_distances(const KnownGraph& known) {
  const auto expected = from_each(known.some_sources(), [&](VertexId source) {
    return reference::dijkstra(known.oracle, {source});
  });
  return [=](const Placed& p) {
    for (const auto& [source, distances] : expected) {
      const SsspResult result =
          sssp(p.ctx, p.graph(), source, {.precision = SsspPrecision::Double});
      EXPECT_EQ(result.report.chunks, chunks_of(p));
      EXPECT_EQ(to_vector(result.double_distance), distances);
    }
  };
}

InOne split_component_labels(const KnownGraph& known) {
  const auto expected = reference::components(known.oracle);
  return [=](const Placed& p) {
    const ComponentsResult result = connected_components(p.ctx, p.graph());
    EXPECT_EQ(result.report.chunks, chunks_of(p));
    EXPECT_EQ(to_vector(result.label), expected);
  };
}

InOne split_pageranks(const KnownGraph&) {
  return [](const Placed& p) {
    const Context host = one_thread();
    for (const bool weighted : {false, true})
      for (const double tolerance : {1e-6, 1e-10}) {
        PagerankOptions options;
        options.weighted = weighted;
        options.tolerance = tolerance;
        options.max_iterations = 1000;
        const PagerankResult result = pagerank(p.ctx, p.graph(), options);
        EXPECT_EQ(result.report.chunks, chunks_of(p));
        EXPECT_TRUE(result.converged);
        verify_pagerank(host, p.on_host(host), options, result);
      }
  };
}

const std::vector<Check>& split_checks() {
  static const std::vector<Check> all{{"BfsDepths", split_bfs_depths},
                                      {"SsspDistances", split_sssp_distances},
                                      {"SsspDoubleDistances", split_sssp_double_distances},
                                      {"Components", split_component_labels},
                                      {"Pagerank", split_pageranks}};
  return all;
}

class OnGpus : public ::testing::TestWithParam<zoo::RawGraph> {
 protected:
  void SetUp() override {
    static const bool present = testing::gpu_present();
    if (!present) GTEST_SKIP() << "no CUDA device";
  }
};

const std::vector<testing::GpuConfiguration>& one_and_several() {
  static const auto configurations = [] {
    auto all = testing::gpu_configurations();
    for (auto& c : testing::multi_gpu_configurations()) all.push_back(std::move(c));
    return all;
  }();
  return configurations;
}

TEST_P(OnGpus, AllAlgorithmsEqualTheReference) {
  testing::run_everywhere(GetParam(), checks(), one_and_several());
}

TEST_P(OnGpus, SplitStateEqualsTheReference) {
  static const auto configurations = testing::split_configurations();
  testing::run_everywhere(GetParam(), split_checks(), configurations);
}

INSTANTIATE_TEST_SUITE_P(Zoo, OnGpus, ::testing::ValuesIn(testing::gpu_graphs()), zoo::GraphName{});

/// Weights whose sums a float does not hold.
using RoundingOnGpus = OnGpus;

TEST_P(RoundingOnGpus, DistancesInBothPrecisionsEqualTheReference) {
  testing::run_everywhere(
      GetParam(),
      {{"SsspDistances", sssp_distances}, {"SsspDoubleDistances", sssp_double_distances}},
      one_and_several());
  testing::run_everywhere(GetParam(),
                          {{"SsspDistances", split_sssp_distances},
                           {"SsspDoubleDistances", split_sssp_double_distances}},
                          testing::split_configurations());
}

INSTANTIATE_TEST_SUITE_P(Zoo, RoundingOnGpus,
                         ::testing::Values(zoo::long_steps(),
                                           zoo::weighted(zoo::rmat(true), zoo::Weights::Thirds),
                                           zoo::weighted(zoo::grid(), zoo::Weights::Thirds)),
                         zoo::GraphName{});

}  // namespace
}  // namespace fathom
