#include "fathom/algorithms/walks/batches.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <ostream>

#include "tests/reference/sampling/neighbor_sampling.hpp"
#include "tests/reference/sampling/second_order_walks.hpp"
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
  void expect_the_same(WalkOptions options, const WalkSources& sources = {}) const {
    const Context ctx = configuration().context();
    const Graph graph = place(ctx);
    const Context host = testing::plain_host().context();
    const Graph there = testing::place(host, testing::plain_host(), raw());
    const Walked walked = walk(ctx, graph, sources, options);
    options.batch = 0;
    const Walked expected = walk(host, there, sources, options);
    EXPECT_EQ(walked.rows, expected.rows);
    EXPECT_EQ(walked.result.steps, expected.result.steps);
    EXPECT_EQ(walked.result.ended, expected.result.ended);
    EXPECT_NO_THROW(verify_walks(there, sources, options, 0, walked.rows));
  }
  bool weighted() const { return !raw().weights.empty(); }
  /// The hubs of zoo graphs are among the first vertices.
  std::vector<VertexId> some_sources() const {
    std::vector<VertexId> some;
    for (VertexId v = 0; v < std::min<VertexId>(raw().vertices, 6); ++v) some.push_back(v);
    return some;
  }
};

TEST_P(Walks, AreTheSameEverywhere) {
  expect_the_same(
      {.length = 3, .weighted = weighted(), .restart = weighted() ? .2 : 0., .seed = 1});
}

TEST_P(Walks, OfTheSecondOrderAreTheSameEverywhere) {
  expect_the_same({.length = 3,
                   .weighted = weighted(),
                   .p = .25,
                   .q = 8,
                   .restart = weighted() ? .1 : 0.,
                   .seed = 2});
}

TEST_P(Walks, OfFewAtATimeAreTheSameWhereListsComeInPieces) {
  const std::vector<VertexId> some = some_sources();
  expect_the_same({.length = 4, .weighted = weighted(), .p = 20, .q = .05, .seed = 3, .batch = 2},
                  some);
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
  const WalkOptions options{
      .length = 5, .per_source = 7, .p = .1, .q = 9, .restart = .1, .seed = 3};
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

TEST_F(WalksOfFive, AreTheSameWhicheverAreDrawn) {
  const WalkOptions all{.length = 4, .per_source = 9, .p = 3, .q = .2, .seed = 8};
  const Walked whole = walk(ctx_, graph_, {}, all);
  WalkOptions some = all;
  some.first = 17;
  some.walks = 20;
  std::vector<VertexId> rows;
  const WalksResult result =
      random_walks(ctx_, graph_, {}, some, [&](std::uint64_t, std::span<const VertexId> drawn) {
        rows.insert(rows.end(), drawn.begin(), drawn.end());
      });
  EXPECT_EQ(result.walks, 20u);
  EXPECT_EQ(rows, std::vector<VertexId>(whole.rows.begin() + 17 * 5, whole.rows.begin() + 37 * 5));
  some.walks = WalkOptions::kAllWalks;
  EXPECT_EQ(random_walks(ctx_, graph_, {}, some).walks, 28u);
  some.first = 46;
  expect_error(
      ErrorCode::Usage, [&] { random_walks(ctx_, graph_, {}, some); }, "one of the 45 walks");
}

TEST_F(WalksOfFive, TakeTheMemoryThatIsSaid) {
  for (const bool weighted : {false, true})
    for (const double p : {1., 2.}) {
      const WalkOptions options{
          .length = 7, .per_source = 100, .weighted = weighted, .p = p, .batch = 64};
      const std::uint64_t bytes = walk_memory(options, 64, true, 0).host;
      const Context enough = Context::cpu({1, bytes, 0, MemoryPool::kUnlimited, {}});
      EXPECT_NO_THROW(random_walks(enough, graph_, {}, options));
      EXPECT_EQ(enough.host_memory()->peak(), bytes);
      const Context less = Context::cpu({1, bytes - 1, 0, MemoryPool::kUnlimited, {}});
      expect_error(ErrorCode::DoesNotFit, [&] { random_walks(less, graph_, {}, options); });
    }
}

TEST_F(WalksOfFive, AreFewerAtATimeInLessMemory) {
  WalkOptions options{.length = 7, .per_source = 1000};
  const Walked expected = walk(ctx_, graph_, {}, options);
  options.batch = 64;
  const std::uint64_t least = walk_memory(options, 64, true, 0).host;
  options.batch = 0;
  for (const std::uint64_t bytes : {least, 16 * least}) {
    const Context small = Context::cpu({1, bytes, 0, MemoryPool::kUnlimited, {}});
    EXPECT_EQ(walk(small, graph_, {}, options).rows, expected.rows);
    EXPECT_LE(small.host_memory()->peak(), bytes);
  }
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
  refused({.p = 0}, "expected p from 0.001 to 1000, not 0");
  refused({.q = 1001}, "expected q from 0.001 to 1000");
  refused({.p = std::nan("")}, "expected p from");
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
      "that of the edge from 0 to 3 is -3");
  WalkOptions named{.weighted = true};
  named.label_of = [](VertexId v) { return "v" + std::to_string(v); };
  expect_error(
      ErrorCode::BadInput, [&] { random_walks(ctx_, negative, {}, named); },
      "that of the edge from v0 to v3 is -3");
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

/// Walks of the second order, held against the probability of each of them.
struct SecondOrderCase {
  const char* name;
  zoo::RawGraph graph;
  reference::SecondOrder bias;
};

void PrintTo(const SecondOrderCase& its, std::ostream* out) {
  *out << its.name;
}

std::vector<SecondOrderCase> second_order_cases() {
  // A triangle with a tail, a loop at 1 and an edge twice; and a directed one, where edges back are
  // others than those there.
  const zoo::RawGraph kite{"Kite",
                           5,
                           false,
                           {{0, 1}, {1, 2}, {0, 2}, {2, 3}, {3, 4}, {1, 1}, {2, 3}},
                           {1, 2, 3, .5, 1, 4, 2}};
  const zoo::RawGraph ways{"Ways",
                           4,
                           true,
                           {{0, 1}, {1, 0}, {1, 2}, {1, 3}, {0, 2}, {3, 0}, {2, 1}, {2, 3}, {2, 0}},
                           {1, 3, 2, 2, 1, 0, 5, 1, 1}};
  return {{"NearBy", kite, {.25, 4, false}},     {"FarOff", kite, {4, .25, false}},
          {"NearByWeight", kite, {.5, 3, true}}, {"NoWayBack", kite, {100, 1, false}},
          {"Directed", ways, {2, .3, false}},    {"DirectedByWeight", ways, {.2, 5, true}},
          {"OfTheFirst", kite, {1, 1, true}}};
}

class SecondOrderWalks : public ::testing::TestWithParam<SecondOrderCase> {};

TEST_P(SecondOrderWalks, AreAsLikelyAsTheirBiasSays) {
  const auto& [name, raw, bias] = GetParam();
  const Context ctx = Context::cpu();
  const Graph graph = make_graph(ctx, zoo::build(raw), raw.directed);
  const WalkOptions options{.length = 4,
                            .per_source = 200'000,
                            .weighted = bias.weighted,
                            .p = bias.p,
                            .q = bias.q,
                            .seed = 12};
  const std::vector<VertexId> source{2};
  const Walked walked = walk(ctx, graph, source, options);
  std::map<std::vector<std::uint32_t>, double> probability;
  for (const auto& [row, its] :
       reference::walk_probabilities(zoo::to_reference(raw), 2, options.length, bias))
    probability[std::vector<std::uint32_t>(row.begin(), row.end())] = its;
  std::map<std::vector<std::uint32_t>, std::uint64_t> seen;
  for (std::size_t i = 0; i < walked.rows.size(); i += options.length + 1) {
    std::vector<std::uint32_t> row;
    for (std::size_t j = i; j <= i + options.length && walked.rows[j] != kNoVertex; ++j)
      row.push_back(static_cast<std::uint32_t>(walked.rows[j]));
    ++seen[row];
  }
  EXPECT_TRUE(reference::plausible(seen, probability));
}

INSTANTIATE_TEST_SUITE_P(Cases, SecondOrderWalks, ::testing::ValuesIn(second_order_cases()),
                         [](const auto& its) { return std::string(its.param.name); });

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
