#include "fathom/algorithms/pagerank/rwr_each.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/reference/ranks/pagerank.hpp"
#include "tests/suites/algorithm_suite.hpp"
#include "tests/suites/expect_error.hpp"
#include "tests/suites/extreme_weights.hpp"

namespace fathom {
namespace {

using testing::AlgorithmSuite;
using testing::expect_error;

using Ids = std::vector<VertexId>;

/// Thirteen of them, which are blocks of 8, of 4 and one alone; or as many as there are.
Ids spread_sources(VertexId vertices) {
  const VertexId many = std::min<VertexId>(vertices, 13);
  Ids sources;
  for (VertexId i = 0; i < many; ++i) sources.push_back(i * (vertices / many));
  return sources;
}

/// [sources][vertices]; 0 where there is no row.
std::vector<std::vector<double>> as_matrix(const Ids& sources, std::size_t vertices,
                                           const RwrEachResult& result) {
  std::vector<std::vector<double>> all;
  std::uint64_t row = 0;
  for (const VertexId source : sources) {
    std::vector<double>& its = all.emplace_back(vertices, 0.);
    for (; row < result.rows && result.source[row] == source; ++row)
      its[result.vertex[row]] = result.probability[row];
  }
  EXPECT_EQ(row, result.rows);
  return all;
}

double distance(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t v = 0; v < a.size(); ++v) sum += std::abs(a[v] - b[v]);
  return sum;
}

class WalksFromEach : public AlgorithmSuite {
 protected:
  void expect_right(bool in_edges, bool weighted, double tolerance) const {
    const Context ctx = configuration().context();
    const Graph graph = place(ctx, in_edges);
    const Ids sources = spread_sources(graph.vertices());
    if (sources.empty()) return;
    RwrEachOptions options;
    options.walk = {.25, tolerance, 1000, weighted};
    const RwrEachResult result = random_walks_from_each(ctx, graph, sources, options);
    EXPECT_TRUE(result.report.converged);
    ASSERT_EQ(result.ends.size(), sources.size());
    const auto found = as_matrix(sources, graph.vertices(), result);
    reference::PagerankOptions r;
    r.alpha = .75;
    r.tolerance = 1e-14;
    r.weighted = weighted;
    for (std::size_t i = 0; i < sources.size(); ++i) {
      r.personalization.assign(raw().vertices, 0.0);
      r.personalization[sources[i]] = 1;
      EXPECT_LE(distance(found[i], reference::pagerank(reference_graph(), r).rank),
                10 * std::max(tolerance, 1e-7));
      EXPECT_LT(result.ends[i].residual, tolerance);
    }
    EXPECT_NO_THROW(verify_walks_from_each(ctx, graph, sources, options, result));
  }
};

TEST_P(WalksFromEach, EqualTheReferenceFromEachSourceAlone) {
  expect_right(true, false, 1e-10);
}
TEST_P(WalksFromEach, EqualItInSinglePrecisionByWeightAndWithoutInEdges) {
  expect_right(false, true, 1e-6);
}

TEST_P(WalksFromEach, GiveTheMostProbableVertices) {
  const Context ctx = configuration().context();
  const Graph graph = place(ctx);
  const Ids sources = spread_sources(graph.vertices());
  if (sources.empty()) return;
  RwrEachOptions options;
  options.walk.tolerance = 1e-9;
  options.k = 5;
  const RwrEachResult result = random_walks_from_each(ctx, graph, sources, options);
  options.k = graph.vertices();
  const RwrEachResult all = random_walks_from_each(ctx, graph, sources, options);
  options.k = 5;
  std::uint64_t row = 0;
  for (std::uint64_t i = 0, of_source = 0; i < all.rows; ++i) {
    of_source = i > 0 && all.source[i - 1] == all.source[i] ? of_source + 1 : 0;
    if (of_source >= 5) continue;
    ASSERT_LT(row, result.rows);
    EXPECT_EQ(result.source[row], all.source[i]);
    EXPECT_NEAR(result.probability[row], all.probability[i], 1e-7);
    ++row;
  }
  EXPECT_EQ(row, result.rows);
  EXPECT_NO_THROW(verify_walks_from_each(ctx, graph, sources, options, result));
}

INSTANTIATE_TEST_SUITE_P(
    Zoo, WalksFromEach,
    testing::each_in_each({zoo::empty_graph(), zoo::one_loop(), zoo::path(), zoo::star_inward(),
                           zoo::rmat(true), zoo::unreachable_sources(),
                           zoo::weighted(zoo::rmat(false), zoo::Weights::Positive),
                           zoo::weighted(zoo::uniform(true), zoo::Weights::Positive)}),
    testing::suite_name);

using WalksFromEachByExtremeWeights = WalksFromEach;
TEST_P(WalksFromEachByExtremeWeights, EqualTheReferenceInBlocksOfAllSizes) {
  for (const bool in_edges : {false, true}) expect_right(in_edges, true, 1e-6);
}
INSTANTIATE_TEST_SUITE_P(Zoo, WalksFromEachByExtremeWeights,
                         testing::each_in_each(testing::graphs_of_extreme_weights(true)),
                         testing::suite_name);

class WalksFromEachRun : public ::testing::Test {
 protected:
  /// What was found, when so much of memory is left for it.
  RwrEachResult run_within(std::size_t bytes) const {
    const Context ctx = Context::cpu({1, bytes, 0, MemoryPool::kUnlimited, {}});
    return random_walks_from_each(ctx, make_graph(ctx, zoo::build(raw_), true), sources_, {});
  }

  const zoo::RawGraph raw_ = zoo::rmat(true);
  const Context ctx_ = Context::cpu();
  const Graph graph_ = make_graph(ctx_, zoo::build(raw_), true);
  const Ids sources_ = spread_sources(graph_.vertices());
};

TEST_F(WalksFromEachRun, GoInSmallerBlocksWhereMemoryIsShort) {
  EXPECT_EQ(run_within(MemoryPool::kUnlimited).batch, 8);
  const std::size_t rows = sources_.size() * graph_.vertices() * (8 + 2 * sizeof(VertexId));
  const std::size_t each = graph_.vertices() * std::size_t{20};
  std::vector<int> batches;
  for (const std::size_t walks : {24, 12, 7}) {
    const RwrEachResult result = run_within(rows + walks * each);
    batches.push_back(result.batch);
    EXPECT_EQ(result.rows, random_walks_from_each(ctx_, graph_, sources_, {}).rows);
  }
  EXPECT_EQ(batches, (std::vector<int>{8, 4, 1}));
  expect_error(ErrorCode::DoesNotFit, [&] { run_within(rows); });
}

TEST_F(WalksFromEachRun, RefusesBadArguments) {
  RwrEachOptions options;
  expect_error(
      ErrorCode::Usage, [&] { random_walks_from_each(ctx_, graph_, {}, options); }, "source");
  expect_error(
      ErrorCode::Usage,
      [&] {
        random_walks_from_each(ctx_, graph_, Ids{3, 4, 3}, options);
      },
      "twice");
  expect_error(
      ErrorCode::Usage,
      [&] { random_walks_from_each(ctx_, graph_, Ids{graph_.vertices()}, options); },
      "out of range");
  options.k = 0;
  expect_error(
      ErrorCode::Usage, [&] { random_walks_from_each(ctx_, graph_, sources_, options); }, "k is 0");
  options.k = 1;
  options.walk.restart = 2;
  expect_error(
      ErrorCode::Usage, [&] { random_walks_from_each(ctx_, graph_, sources_, options); },
      "restart is a probability");
}

// How far they are from where they lead has no bound, and no sign.
TEST_F(WalksFromEachRun, NeverRestartWithANegativeZero) {
  RwrEachOptions options;
  options.k = 3;
  options.walk.restart = -0.;
  options.walk.max_iterations = 20;
  const RwrEachResult result = random_walks_from_each(ctx_, graph_, sources_, options);
  EXPECT_NO_THROW(verify_walks_from_each(ctx_, graph_, sources_, options, result));
}

TEST_F(WalksFromEachRun, SaysWhichHaveNotConverged) {
  RwrEachOptions options;
  options.walk.max_iterations = 2;
  const RwrEachResult result = random_walks_from_each(ctx_, graph_, sources_, options);
  EXPECT_FALSE(result.report.converged);
  for (const RwrEachResult::End& end : result.ends) EXPECT_EQ(end.iterations, 2u);
  EXPECT_NO_THROW(verify_walks_from_each(ctx_, graph_, sources_, options, result));
}

TEST_F(WalksFromEachRun, CertificateRefutesWhatIsWrong) {
  for (const std::uint64_t k : {std::uint64_t{4}, ~std::uint64_t{0}}) {
    RwrEachOptions options;
    options.k = k;
    RwrEachResult result = random_walks_from_each(ctx_, graph_, sources_, options);
    const auto expect_refuted = [&](const std::string& why) {
      expect_error(
          ErrorCode::VerificationFailed,
          [&] { verify_walks_from_each(ctx_, graph_, sources_, options, result); }, why);
    };
    result.probability[0] += .01;
    expect_refuted("");
    result.probability[0] -= .01;
    std::swap(result.vertex[0], result.vertex[1]);
    expect_refuted("");
    std::swap(result.vertex[0], result.vertex[1]);
    std::swap(result.probability[1], result.probability[2]);
    expect_refuted("does not come after");
    std::swap(result.probability[1], result.probability[2]);
    const VertexId second = std::exchange(result.vertex[1], result.vertex[0]);
    expect_refuted("has two rows");
    result.vertex[1] = second;
    --result.rows;
    expect_refuted("");
  }
}

}  // namespace
}  // namespace fathom
