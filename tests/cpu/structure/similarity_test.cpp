#include "fathom/algorithms/similarity/similarity.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <map>
#include <set>
#include <string>

#include "tests/reference/structure/similarity.hpp"
#include "tests/suites/algorithm_suite.hpp"
#include "tests/suites/expect_error.hpp"
#include "tests/suites/random_graphs.hpp"

namespace fathom {
namespace {

using reference::Neighborhoods;
using testing::AlgorithmSuite;
using testing::Configuration;
using testing::cpu_configurations;
using testing::expect_error;

using Pairs = std::vector<std::pair<VertexId, VertexId>>;
using Ids = std::vector<VertexId>;
using Measure = SimilarityMeasure;

const std::map<Measure, std::string> kMeasures{{Measure::Jaccard, "jaccard"},
                                               {Measure::Overlap, "overlap"},
                                               {Measure::AdamicAdar, "adamic-adar"},
                                               {Measure::ResourceAllocation, "resource-allocation"},
                                               {Measure::CommonNeighbors, "common"}};

/// Of all vertices every so many.
Ids some_of(VertexId n) {
  Ids some;
  for (VertexId v = 0; v < n; v += 1 + n / 16) some.push_back(v);
  return some;
}

/// Pairs near each other and far, and some several times.
Pairs some_pairs(VertexId n) {
  Pairs pairs;
  for (const VertexId u : some_of(n))
    for (const VertexId step : {1, 2, 7, 1})
      if (const auto v = static_cast<VertexId>((u * 5 + step) % n); u != v)
        pairs.emplace_back(u, v);
  return pairs;
}

/// Bit for bit where common neighbours are counted.
void expect_value(Measure measure, double found, double expected, const SimilarityResult& result) {
  if (weighs_neighbors(measure)) {
    EXPECT_NEAR(found, expected, 1e-9 * (1 + expected));
  } else {
    EXPECT_EQ(found, expected);
    EXPECT_EQ(result.rounding, 0);
  }
}

/// Rows of u in `found`, which are consecutive, are the best there are. Sums that differ in their
/// last bits may change places.
void expect_best(const Neighborhoods& known, const SimilarityOptions& options, const Ids& order,
                 const Ids& row, const SimilarityResult& found) {
  std::uint64_t at = 0;
  for (const VertexId u : order)
    for (const auto& its : known.best(kMeasures.at(options.measure), u, options.k, row)) {
      ASSERT_LT(at, found.rows);
      ASSERT_EQ(found.u[at], u);
      expect_value(options.measure, found.value[at], its.value, found);
      if (weighs_neighbors(options.measure)) {
        EXPECT_NEAR(known.similarity(kMeasures.at(options.measure), u, found.v[at]), its.value,
                    1e-9);
      } else {
        EXPECT_EQ(found.v[at], its.v) << "of " << u;
      }
      ++at;
    }
  EXPECT_EQ(at, found.rows);
}

void expect_equal(const SimilarityResult& a, const SimilarityResult& b) {
  ASSERT_EQ(a.rows, b.rows);
  for (std::uint64_t i = 0; i < a.rows; ++i) {
    EXPECT_EQ(a.u[i], b.u[i]);
    EXPECT_EQ(a.v[i], b.v[i]);
    EXPECT_EQ(a.value[i], b.value[i]);
  }
}

Ids all_of(VertexId n) {
  Ids ids(n);
  for (VertexId v = 0; v < n; ++v) ids[v] = v;
  return ids;
}

/// One of those that differ in directions alone.
std::vector<zoo::RawGraph> without_directions() {
  const std::set<std::string> others{"RmatDirected", "UniformDirected", "StarInward",
                                     "StarOutward"};
  std::vector<zoo::RawGraph> all = zoo::unweighted_graphs();
  std::erase_if(all, [&](const zoo::RawGraph& raw) { return others.contains(raw.name); });
  for (zoo::RawGraph& raw : all) raw.directed = false;
  return all;
}

class Similarity : public AlgorithmSuite {
 protected:
  const Context host_ = testing::plain_host().context();
};

TEST_P(Similarity, OfPairsIsWhatTheirNeighbourhoodsShare) {
  const Context ctx = configuration().context();
  const Graph graph = place(ctx, true), here = testing::place(host_, testing::plain_host(), raw());
  const Neighborhoods known(reference_graph());
  const Pairs pairs = some_pairs(graph.vertices());
  for (const Measure measure : {Measure::Overlap, Measure::ResourceAllocation}) {
    const std::string& name = kMeasures.at(measure);
    const SimilarityOptions options{measure};
    const SimilarityResult result = similarity_of(ctx, graph, pairs, options);
    ASSERT_EQ(result.rows, pairs.size());
    for (std::size_t i = 0; i < pairs.size(); ++i)
      expect_value(measure, result.value[i],
                   known.similarity(name, pairs[i].first, pairs[i].second), result);
    expect_equal(result, similarity_of(host_, here, pairs, options));
    EXPECT_NO_THROW(verify_similarity(ctx, graph, pairs, options, result));
  }
}

TEST_P(Similarity, FindsTheBestOfEachVertex) {
  const Context ctx = configuration().context();
  const Graph graph = place(ctx, true), here = testing::place(host_, testing::plain_host(), raw());
  const Neighborhoods known(reference_graph());
  const Ids sources = some_of(graph.vertices());
  for (const Measure measure : {Measure::Jaccard, Measure::AdamicAdar}) {
    const SimilarityOptions options{measure, 3, sources};
    const SimilarityResult result = best_similar(ctx, graph, options);
    expect_best(known, options, sources, {}, result);
    expect_equal(result, best_similar(host_, here, options));
    EXPECT_NO_THROW(verify_best_similar(ctx, graph, options, result));
  }
}

INSTANTIATE_TEST_SUITE_P(Zoo, Similarity, testing::each_in_each(without_directions()),
                         testing::suite_name);

/// With loops, parallel edges, and lists that are longer than there is room for.
RC_GTEST_PROP(SimilarityProperty, EqualsTheReferenceOnRandomGraphs, ()) {
  zoo::RawGraph raw = zoo::random_graph(false);
  raw.directed = false;
  if (!raw.edges.empty()) {
    const zoo::Pair edge = *rc::gen::elementOf(raw.edges);
    raw.edges.insert(raw.edges.end(), *rc::gen::inRange<std::size_t>(0, 40), edge);
  }
  const auto configurations = cpu_configurations();
  const Configuration where = *rc::gen::elementOf(configurations);
  const Context ctx = where.context();
  const Graph graph = testing::place(ctx, where, raw);
  const VertexId n = graph.vertices();
  const Neighborhoods known(zoo::to_reference(raw));
  const auto measure = *rc::gen::elementOf(std::vector(kMeasures.begin(), kMeasures.end()));
  Ids row;  // backwards
  if (*rc::gen::arbitrary<bool>())
    for (VertexId v = 0; v < n; ++v) row.push_back(n - 1 - v);
  Ids sources, order;
  for (VertexId i = 0; i < n; ++i) {
    const VertexId v = row.empty() ? i : row[i];
    if (!*rc::gen::arbitrary<bool>()) continue;
    order.push_back(v);
    sources.insert(sources.end(), 2, v);
  }
  if (sources.empty()) order = row.empty() ? all_of(n) : row;
  const SimilarityOptions options{measure.first, *rc::gen::inRange<std::uint64_t>(1, 9), sources,
                                  row};
  const SimilarityResult result = best_similar(ctx, graph, options);
  expect_best(known, options, order, row, result);
  verify_best_similar(ctx, graph, options, result);
  RC_ASSERT(!::testing::Test::HasFailure());
}

/// The thirds, fifths and sevenths of two candidates add up to the same in fixed point, and to sums
/// that differ in their last bits in floating point.
TEST(SimilarityRun, SumsThatDifferInTheirLastBitsAreAlike) {
  zoo::RawGraph raw{"Sums", 20, false, {}, {}};
  raw.edges = {{11, 0}, {2, 11}, {6, 2}, {11, 1}, {1, 2}, {11, 6}, {2, 0}, {3, 0}, {3, 4}, {4, 11},
               {2, 7},  {2, 4},  {5, 2}, {11, 5}, {3, 1}, {6, 3},  {3, 5}, {3, 7}, {7, 11}};
  const Context ctx = Context::cpu();
  const auto configurations = cpu_configurations();
  const Graph graph = testing::place(ctx, configurations.front(), raw);
  for (const std::uint64_t k : {1, 2, 3}) {
    const SimilarityOptions options{Measure::ResourceAllocation, k};
    const SimilarityResult result = best_similar(ctx, graph, options);
    EXPECT_NO_THROW(verify_best_similar(ctx, graph, options, result)) << k;
  }
}

class SimilarityOfHubs : public ::testing::TestWithParam<Configuration> {};

/// Two hubs whose lists do not fit slots, and vertices with more candidates than cells.
TEST_P(SimilarityOfHubs, ReadsLongListsInParts) {
  zoo::RawGraph raw{"Hubs", 400, false, {}, {}};
  for (std::uint32_t v = 2; v < 400; ++v) {
    for (std::uint32_t i = 0; i < 1 + v % 3; ++i) raw.edges.emplace_back(0, v);
    if (v % 3 != 0) raw.edges.emplace_back(v, 1);
    if (v % 10 == 0) raw.edges.emplace_back(v, v + 1);
  }
  raw.vertices = 402;
  const Context ctx = GetParam().context();
  const Graph graph = testing::place(ctx, GetParam(), raw);
  const Neighborhoods known(zoo::to_reference(raw));
  for (const Measure measure : {Measure::Jaccard, Measure::ResourceAllocation}) {
    const SimilarityOptions options{measure, 5};
    const SimilarityResult best = best_similar(ctx, graph, options);
    expect_best(known, options, all_of(graph.vertices()), {}, best);
    const Pairs pairs{{1, 0}, {0, 1}, {5, 400}, {0, 5}, {3, 1}};
    const SimilarityResult result = similarity_of(ctx, graph, pairs, options);
    for (std::size_t i = 0; i < pairs.size(); ++i)
      expect_value(measure, result.value[i],
                   known.similarity(kMeasures.at(measure), pairs[i].first, pairs[i].second),
                   result);
  }
}

INSTANTIATE_TEST_SUITE_P(Cpu, SimilarityOfHubs, ::testing::ValuesIn(cpu_configurations()),
                         testing::configuration_name);

TEST(SimilarityRun, RefusesWhatHasNoMeaning) {
  const Context ctx = Context::cpu();
  const zoo::RawGraph raw{"Path", 3, false, {{0, 1}, {1, 2}}, {}};
  const Graph graph = make_graph(ctx, zoo::build(raw), false);
  const auto refuses = [&](const std::string& why, const auto& run) {
    expect_error(ErrorCode::Usage, run, why);
  };
  zoo::RawGraph arrows = raw;
  arrows.directed = true;
  const Graph directed = make_graph(ctx, zoo::build(arrows), true);
  refuses("the graph is directed", [&] { best_similar(ctx, directed); });
  refuses("the graph is directed", [&] { similarity_of(ctx, directed, Pairs{{0, 1}}); });
  refuses("pair 1, of 2 and 2", [&] { similarity_of(ctx, graph, Pairs{{0, 1}, {2, 2}}); });
  refuses("pair 0, of 0 and 3", [&] { similarity_of(ctx, graph, Pairs{{0, 3}}); });
  refuses("k is 0", [&] { best_similar(ctx, graph, {Measure::Jaccard, 0}); });
  const Ids row{0, 0, 1}, source{3};
  refuses("vertex 1 has the row 0", [&] {
    best_similar(ctx, graph, {Measure::Jaccard, 1, {}, row});
  });
  refuses("source 3 is out of range", [&] {
    best_similar(ctx, graph, {Measure::Jaccard, 1, source});
  });
}

TEST(SimilarityRun, StopsWhenTheTaskIsCancelled) {
  std::stop_source stop;
  stop.request_stop();
  CpuOptions options;
  options.task.stop = stop.get_token();
  const Context ctx = Context::cpu(options);
  const Graph graph = make_graph(ctx, zoo::build(zoo::grid()), false);
  expect_error(ErrorCode::Interrupted, [&] { best_similar(ctx, graph); });
  expect_error(ErrorCode::Interrupted, [&] { similarity_of(ctx, graph, Pairs{{0, 1}}); });
}

/// Two cliques of five with an edge between, and one vertex on its own.
class SimilarityCertificate : public ::testing::TestWithParam<std::tuple<Configuration, bool>> {
 protected:
  static zoo::RawGraph cliques() {
    zoo::RawGraph raw{"Cliques", 11, false, zoo::clique_edges(0, 5), {}};
    for (const zoo::Pair& edge : zoo::clique_edges(5, 5)) raw.edges.push_back(edge);
    raw.edges.emplace_back(4, 5);
    return raw;
  }
  void expect_refuted(const std::string& reason) const {
    expect_error(
        ErrorCode::VerificationFailed,
        [&] {
          verify_best_similar(ctx_, graph_, options_, best_);
          verify_similarity(ctx_, graph_, pairs_, options_, of_pairs_);
        },
        reason);
  }

  const Context ctx_ = std::get<0>(GetParam()).context();
  const Graph graph_ = testing::place(ctx_, std::get<0>(GetParam()), cliques());
  const Pairs pairs_{{0, 1}, {9, 3}, {0, 10}};
  SimilarityOptions options_{std::get<1>(GetParam()) ? Measure::AdamicAdar : Measure::Jaccard, 2};
  SimilarityResult best_ = best_similar(ctx_, graph_, options_);
  SimilarityResult of_pairs_ = similarity_of(ctx_, graph_, pairs_, options_);
};

TEST_P(SimilarityCertificate, HoldsForWhatWasComputed) {
  EXPECT_NO_THROW(verify_best_similar(ctx_, graph_, options_, best_));
  EXPECT_NO_THROW(verify_similarity(ctx_, graph_, pairs_, options_, of_pairs_));
}
TEST_P(SimilarityCertificate, RefutesAWrongValue) {
  of_pairs_.value[0] *= 1 + 1e-9;
  expect_refuted("the pair of 0 and 1 has");
}
TEST_P(SimilarityCertificate, RefutesAValueThatIsNoNumber) {
  of_pairs_.value[2] = std::nan("");
  expect_refuted("the pair of 0 and 10 has");
}
TEST_P(SimilarityCertificate, RefutesOtherPairs) {
  std::swap(of_pairs_.u[0], of_pairs_.v[0]);
  expect_refuted("row 0 is not of the pair asked for");
  --of_pairs_.rows;
  expect_refuted("not one row per pair");
}
TEST_P(SimilarityCertificate, RefutesARoundingThatHidesAnything) {
  best_.rounding = 1;
  expect_refuted("rounded by");
}
TEST_P(SimilarityCertificate, RefutesRowsOutOfOrder) {
  std::swap(best_.v[0], best_.v[1]);
  std::swap(best_.value[0], best_.value[1]);
  expect_refuted("vertex 0 has rows that are not in order");
}
TEST_P(SimilarityCertificate, RefutesWhatIsNotThere) {
  best_.v[1] = 10;
  expect_refuted("the pair of 0 and 10 has");
}
TEST_P(SimilarityCertificate, RefutesThatABetterOneIsLeftOut) {
  // Weighed, vertex 0 has 4 and 1; else 1 and 2, and 3 is as good as these.
  const bool weighs = std::get<1>(GetParam());
  best_.v[1] = 3;
  if (!weighs) expect_refuted("vertex 0 lacks 2");
  best_.v[1] = 5;
  best_.value[1] = weighs ? 1 / std::log(5.) : 1. / 8;
  expect_refuted(weighs ? "vertex 0 lacks 1" : "vertex 0 lacks 2");
}
TEST_P(SimilarityCertificate, RefutesThatRowsAreMissing) {
  --best_.rows;
  expect_refuted("vertex 9 has 1 rows, and");
}
TEST_P(SimilarityCertificate, RefutesMoreThanWereAskedFor) {
  options_.k = 1;
  expect_refuted("vertex 0 has more than k rows");
}
TEST_P(SimilarityCertificate, RefutesRowsOfOthersThanWereAskedFor) {
  const Ids sources{1, 2};
  options_.sources = sources;
  expect_refuted("vertex 0 has rows that nobody asked for");
}
TEST_P(SimilarityCertificate, RefutesTheResultOfAnotherGraph) {
  zoo::RawGraph other = cliques();
  other.edges.pop_back();
  const Context host = Context::cpu();
  best_ = best_similar(host, make_graph(host, zoo::build(other), false), options_);
  expect_refuted("");
}

INSTANTIATE_TEST_SUITE_P(Cpu, SimilarityCertificate,
                         ::testing::Combine(::testing::ValuesIn(cpu_configurations()),
                                            ::testing::Bool()),
                         [](const auto& its) {
                           return std::get<0>(its.param).name +
                                  (std::get<1>(its.param) ? "_weighed" : "");
                         });

}  // namespace
}  // namespace fathom
