#include "fathom/algorithms/walks/walks.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>

#include "tests/reference/sampling/neighbor_sampling.hpp"
#include "tests/suites/algorithm_suite.hpp"
#include "tests/suites/expect_error.hpp"

namespace fathom {
namespace {

using testing::AlgorithmSuite;
using testing::expect_error;

struct Walked {
  std::vector<VertexId> rows;
  WalksResult result;
};

Walked walk(const Context& ctx, const Graph& graph, const WalkSources& sources,
            const WalkOptions& options) {
  Walked all;
  all.result = random_walks(ctx, graph, sources, options,
                            [&](std::uint64_t first, std::span<const VertexId> rows) {
                              EXPECT_EQ(first * (options.length + 1), all.rows.size());
                              all.rows.insert(all.rows.end(), rows.begin(), rows.end());
                            });
  EXPECT_EQ(all.rows.size(), all.result.walks * (options.length + 1));
  return all;
}

class Walks : public AlgorithmSuite {
 protected:
  void expect_the_same(WalkOptions options) const {
    const Context ctx = configuration().context();
    const Graph graph = place(ctx);
    const Context host = testing::plain_host().context();
    const Graph there = testing::place(host, testing::plain_host(), raw());
    const Walked expected = walk(host, there, {}, options);
    const Walked walked = walk(ctx, graph, {}, options);
    EXPECT_EQ(walked.rows, expected.rows);
    EXPECT_EQ(walked.result.steps, expected.result.steps);
    EXPECT_EQ(walked.result.ended, expected.result.ended);
    EXPECT_NO_THROW(verify_walks(there, {}, options, 0, walked.rows));
  }
};

TEST_P(Walks, AreTheSameEverywhere) {
  const bool weighted = !raw().weights.empty();
  expect_the_same({.length = 3, .weighted = weighted, .restart = weighted ? .2 : 0., .seed = 1});
}

INSTANTIATE_TEST_SUITE_P(Zoo, Walks,
                         testing::each_in_each(zoo::all_graphs(), testing::cpu_configurations()),
                         testing::suite_name);

/// 0 has edges of weights 1, 2, 3 and 0 to 1, 2, 3 and 4; 1 leads to 0; 2, 3 and 4 nowhere.
class WalksOfFive : public ::testing::Test {
 protected:
  static zoo::RawGraph raw(float weight = 3) {
    return {"Five", 5, true, {{0, 1}, {0, 2}, {0, 3}, {0, 4}, {1, 0}}, {1, 2, weight, 0, 1}};
  }
  void expect_plausible(WalkOptions options,
                        const std::map<std::vector<std::uint32_t>, double>& probability) const {
    options.per_source = 20'000;
    const std::vector<VertexId> source{0};
    const Walked walked = walk(ctx_, graph_, source, options);
    std::map<std::vector<std::uint32_t>, std::uint64_t> seen;
    const std::size_t width = options.length + 1;
    for (std::size_t i = 0; i < walked.rows.size(); i += width) {
      std::vector<std::uint32_t> row;
      for (std::size_t j = i; j < i + width && walked.rows[j] != kNoVertex; ++j)
        row.push_back(static_cast<std::uint32_t>(walked.rows[j]));
      ++seen[row];
    }
    EXPECT_TRUE(reference::plausible(seen, probability));
  }
  void expect_refuted(const std::vector<VertexId>& row, const WalkOptions& options,
                      const std::string& reason) const {
    const std::vector<VertexId> source{0};
    expect_error(
        ErrorCode::VerificationFailed, [&] { verify_walks(graph_, source, options, 0, row); },
        reason);
  }

  const Context ctx_ = Context::cpu();
  const Graph graph_ = make_graph(ctx_, zoo::build(raw()), true);
};

TEST_F(WalksOfFive, GoAlongEachEdgeAsOften) {
  expect_plausible({.length = 3}, {{{0, 2}, .25},
                                   {{0, 3}, .25},
                                   {{0, 4}, .25},
                                   {{0, 1, 0, 1}, .0625},
                                   {{0, 1, 0, 2}, .0625},
                                   {{0, 1, 0, 3}, .0625},
                                   {{0, 1, 0, 4}, .0625}});
}

TEST_F(WalksOfFive, GoAlongEdgesByWeight) {
  expect_plausible({.length = 3, .weighted = true}, {{{0, 2}, 2. / 6},
                                                     {{0, 3}, 3. / 6},
                                                     {{0, 1, 0, 1}, 1. / 36},
                                                     {{0, 1, 0, 2}, 2. / 36},
                                                     {{0, 1, 0, 3}, 3. / 36}});
}

TEST_F(WalksOfFive, GoBackWhereTheyBegan) {
  std::map<std::vector<std::uint32_t>, double> probability;
  const double on = .7 / 4;
  for (std::uint32_t a : {1, 2, 3, 4}) {
    probability[{0, 0, a}] = .3 * on;
    probability[{0, a, 0}] = a == 1 ? on : on * .3;
    if (a != 1) probability[{0, a}] = on * .7;
  }
  probability[{0, 0, 0}] = .3 * .3;
  expect_plausible({.length = 2, .restart = .3}, probability);
}

TEST_F(WalksOfFive, DoNotDependOnTheBatch) {
  const WalkOptions options{.length = 5, .per_source = 7, .restart = .1, .seed = 3};
  const Walked whole = walk(ctx_, graph_, {}, options);
  for (const std::uint32_t batch : {1, 4, 16}) {
    WalkOptions in_batches = options;
    in_batches.batch = batch;
    EXPECT_EQ(walk(ctx_, graph_, {}, in_batches).rows, whole.rows);
  }
  WalkOptions others = options;
  others.seed = 4;
  EXPECT_NE(walk(ctx_, graph_, {}, others).rows, whole.rows);
}

TEST_F(WalksOfFive, AreNoneOrOfNoStepsWhereAskedFor) {
  EXPECT_EQ(walk(ctx_, graph_, {}, {.length = 0}).rows, (std::vector<VertexId>{0, 1, 2, 3, 4}));
  EXPECT_EQ(walk(ctx_, graph_, std::span<const VertexId>(), {}).result.walks, 0u);
  EXPECT_EQ(walk(ctx_, graph_, {}, {.per_source = 0}).result.walks, 0u);
}

TEST_F(WalksOfFive, RefuseBadInput) {
  const auto refused = [&](const WalkOptions& options, const std::string& why) {
    expect_error(
        ErrorCode::Usage, [&] { random_walks(ctx_, graph_, {}, options); }, why);
  };
  refused({.length = 1u << 20}, "length of at most");
  refused({.restart = 1}, "probability of restart");
  refused({.restart = -.1}, "probability of restart");
  refused({.restart = std::nan("")}, "probability of restart");
  refused({.batch = 3}, "power of 2");
  refused({.per_source = ~std::uint64_t{0}}, "fewer than 2^63");
  const std::vector<VertexId> source{5};
  expect_error(
      ErrorCode::Usage, [&] { random_walks(ctx_, graph_, source, {}); },
      "source 5 is out of range");
  zoo::RawGraph plain = raw();
  plain.weights.clear();
  const Graph unweighted = make_graph(ctx_, zoo::build(plain), true);
  expect_error(
      ErrorCode::Usage, [&] { random_walks(ctx_, unweighted, {}, {.weighted = true}); },
      "no weights");
  const Graph negative = make_graph(ctx_, zoo::build(raw(-3)), true);
  expect_error(
      ErrorCode::BadInput, [&] { random_walks(ctx_, negative, {}, {.weighted = true}); },
      "edge 2 of the list of vertex 0 has -3");
}

TEST_F(WalksOfFive, AreRefutedWhereTheyAreNone) {
  constexpr VertexId none = kNoVertex;
  const WalkOptions two{.length = 2};
  expect_refuted({1, 0, 1}, two, "does not begin at its source");
  expect_refuted({0, 0, 1}, two, "a step from vertex 0 to 0 is along no edge");
  expect_refuted({0, 1, 2}, two, "a step from vertex 1 to 2 is along no edge");
  expect_refuted({0, 1, none}, two, "a walk ends at vertex 1, which has edges");
  expect_refuted({0, none, 1}, two, "goes on behind its end");
  expect_refuted({0, 7, 1}, two, "7 is not a vertex");
  expect_refuted({0, 1}, two, "rows are not of length + 1");
  expect_refuted({0, 1, 0, 0, 1, 0}, two, "more walks");
  expect_refuted({0, 4, none}, {.length = 2, .weighted = true}, "to 4 is along no edge");
  expect_refuted({0, 1, 1}, {.length = 2, .restart = .5}, "to 1 is along no edge");
  const std::vector<VertexId> source{0};
  for (const std::vector<VertexId>& row : {std::vector<VertexId>{0, 1, 0}, {0, 2, none}})
    EXPECT_NO_THROW(verify_walks(graph_, source, two, 0, row));
}

TEST_F(WalksOfFive, StopWhenTheTaskIsCancelled) {
  std::stop_source stop;
  stop.request_stop();
  CpuOptions options;
  options.task.stop = stop.get_token();
  const Context ctx = Context::cpu(options);
  const Graph graph = make_graph(ctx, zoo::build(raw()), true);
  expect_error(ErrorCode::Interrupted, [&] { random_walks(ctx, graph, {}, {}); });
}

}  // namespace
}  // namespace fathom
