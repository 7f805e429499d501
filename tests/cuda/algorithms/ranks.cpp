// Walks as far as they go: ranks, hubs, values of eigenvectors.
#include <cmath>

#include "fathom/algorithms/eigenvector/eigenvector.hpp"
#include "fathom/algorithms/hits/hits.hpp"
#include "fathom/algorithms/katz/katz.hpp"
#include "fathom/algorithms/pagerank/pagerank.hpp"
#include "fathom/algorithms/pagerank/rwr.hpp"
#include "fathom/algorithms/pagerank/rwr_each.hpp"
#include "tests/cuda/algorithms/checks.hpp"
#include "tests/reference/ranks/pagerank.hpp"

namespace fathom::on_gpus {
namespace {

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

}  // namespace

std::vector<Check> rank_checks() {
  return {{"Pagerank", pageranks},
          {"RandomWalk", random_walks},
          {"WalksFromEach", walks_from_each},
          {"PowerIterations", power_iterations}};
}

}  // namespace fathom::on_gpus
