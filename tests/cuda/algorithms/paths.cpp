// Searches, shortest paths and what is counted along them.
#include <algorithm>
#include <cmath>

#include "fathom/algorithms/bellman_ford/bellman_ford.hpp"
#include "fathom/algorithms/betweenness/betweenness.hpp"
#include "fathom/algorithms/bfs/bfs.hpp"
#include "fathom/algorithms/closeness/closeness.hpp"
#include "fathom/algorithms/eccentricity/eccentricity.hpp"
#include "fathom/algorithms/edge_betweenness/edge_betweenness.hpp"
#include "fathom/algorithms/harmonic/harmonic.hpp"
#include "fathom/algorithms/multi_search/multi_bfs.hpp"
#include "fathom/algorithms/radius/radius.hpp"
#include "fathom/algorithms/sssp/sssp.hpp"
#include "tests/cuda/algorithms/checks.hpp"
#include "tests/reference/dijkstra.hpp"
#include "tests/reference/radius.hpp"

namespace fathom::on_gpus {
namespace {

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

}  // namespace

std::vector<Check> path_checks() {
  return {{"BfsDepths", bfs_depths},
          {"MultiBfsRows", multi_bfs_rows},
          {"SsspDistances", sssp_distances},
          {"SsspDoubleDistances", sssp_double_distances},
          {"BellmanFord", bellman_ford_distances},
          {"Betweenness", betweennesses},
          {"EdgeBetweenness", edge_betweennesses},
          {"HarmonicCentrality", harmonic_centralities},
          {"ClosenessCentrality", closeness_centralities},
          {"Eccentricities", exact_eccentricities},
          {"Radii", sketched_radii}};
}

}  // namespace fathom::on_gpus
