// Times of what is derived from runs that were measured: so many times their work.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "fathom/algorithms/closeness/closeness.hpp"
#include "fathom/algorithms/described/planned.hpp"
#include "fathom/algorithms/katz/katz.hpp"
#include "fathom/plan/predict.hpp"
#include "tests/suites/expect_error.hpp"

namespace fathom::plan {
namespace {

constexpr std::uint64_t kVertices = 1024, kEdges = 16 * kVertices;
constexpr double kEach = 1e-9;

GraphShape small_shape(bool directed = false) {
  GraphShape shape;
  shape.vertices = kVertices;
  shape.edges = kEdges;
  shape.directed = directed;
  shape.weighted = true;
  shape.likeness = Likeness::Uniform;
  return shape;
}

WorkRate rate_of(std::string_view name, double seconds = kEach, std::uint64_t supersteps = 0) {
  WorkRate row;
  row.algorithm = name;
  row.graph = Likeness::Uniform;
  row.vertices = kVertices;
  row.edges = kEdges;
  row.seconds = seconds;
  row.supersteps = supersteps;
  return row;
}

/// The middle of what is told, in runs of what was measured; 0: nothing is told.
double runs_of(const std::string& algorithm, const std::vector<WorkRate>& rates, const auto& choose,
               GraphShape shape = small_shape()) {
  PlanRequest request;
  request.algorithm = algorithm;
  request.shape = std::move(shape);
  request.options.emplace(find_planned(algorithm)->options);
  choose(*request.options);
  MachineRates measured;
  measured.work = rates;
  const auto told = predict(request, make_plan(request), measured, nullptr, nullptr);
  if (!told) return 0;
  return std::sqrt(told->seconds.low * told->seconds.high) / (kEach * static_cast<double>(kEdges));
}

void defaults(OptionValues&) {}

auto count_of(std::string_view name, std::uint64_t value) {
  return [=](OptionValues& values) { values.set_count(name, value); };
}

TEST(Work, OfSearchesIsThatOfTheirBatches) {
  const std::vector rates = {rate_of("closeness"), rate_of("closeness --k 8", kEach / 4)};
  for (const char* algorithm : {"closeness", "harmonic"}) {
    EXPECT_NEAR(runs_of(algorithm, rates, count_of("k", 256)), 4, 1e-6) << algorithm;
    EXPECT_NEAR(runs_of(algorithm, rates, defaults), kVertices / 64., 1e-6) << "from every vertex";
    EXPECT_NEAR(runs_of(algorithm, rates, count_of("k", 8)), .25, 1e-6)
        << "few have little in common";
    EXPECT_NEAR(runs_of(algorithm, rates, count_of("k", 96)), std::sqrt(1.5 * 2), 1e-6);
  }
  EXPECT_NEAR(runs_of("eccentricity", rates, defaults, small_shape(true)), kVertices / 64., 1e-6);
  EXPECT_EQ(runs_of("eccentricity", rates, defaults), 0) << "bounds take as many as they take";
  const std::vector own = {rate_of("eccentricity"), rate_of("eccentricity --diameter", kEach / 2)};
  EXPECT_NEAR(runs_of("eccentricity", own, defaults), 1, 1e-6);
  EXPECT_NEAR(runs_of("eccentricity", own, [](OptionValues& v) { v.set_flag("diameter"); }), .5,
              1e-6);
}

TEST(Work, OfBetweennessIsThatOfItsSources) {
  for (const std::string algorithm : {"bc", "edge-bc"}) {
    const std::vector rates = {rate_of(algorithm), rate_of(algorithm + " --weighted", 3 * kEach)};
    EXPECT_NEAR(runs_of(algorithm, rates, count_of("k", 80)), 10, 1e-6);
    EXPECT_NEAR(runs_of(algorithm, rates, count_of("k", 2)), std::sqrt(.25 * .5), 1e-6);
    const auto weighted = [](OptionValues& values) {
      values.set_count("k", 8);
      values.set_flag("weighted");
    };
    EXPECT_NEAR(runs_of(algorithm, rates, weighted), 3 * 4, 1e-6) << "two sources are measured";
    GraphShape without = small_shape();
    without.weighted = false;
    EXPECT_NEAR(runs_of(algorithm, rates, weighted, without), 1, 1e-6);
  }
}

TEST(Work, GrowsWithSketchesStepsAndPasses) {
  EXPECT_NEAR(runs_of("radius", {rate_of("radius")}, count_of("sketches", 128)), 4, 1e-6);
  EXPECT_NEAR(runs_of("walks", {rate_of("walks")}, count_of("length", 40)), 4, 1e-6);
  EXPECT_NEAR(runs_of("leiden", {rate_of("leiden")}, defaults), 1, 1e-6);
  EXPECT_GT(runs_of("leiden", {rate_of("leiden")}, count_of("passes", 8)), 2);
  const auto second_order = [](OptionValues& values) { values.set_real("p", 2); };
  EXPECT_EQ(runs_of("walks", {rate_of("walks")}, second_order), 0) << "how often steps are tried";
}

TEST(Work, OfSimilarityIsThatOfPathsOfTwoEdges) {
  WorkRate rate = rate_of("similarity");
  rate.two_paths = 32. * kEdges;
  GraphShape shape = small_shape();
  EXPECT_EQ(runs_of("similarity", {rate}, defaults, shape), 0) << "they are not known";
  shape.two_paths = 96. * kEdges;
  EXPECT_NEAR(runs_of("similarity", {rate}, defaults, shape), 3, 1e-6);
}

TEST(Work, OfWalksByWeightIsThatOfListsThatTheyAreAt) {
  WorkRate rate = rate_of("walks --weighted", kEach * kEdges / kVertices);  // of unit work
  rate.two_paths = 32. * kEdges;
  GraphShape shape = small_shape();
  shape.two_paths = 64. * kEdges;
  const auto weighted = [](OptionValues& values) { values.set_flag("weighted"); };
  EXPECT_NEAR(runs_of("walks", {rate}, weighted, shape), 2, 1e-6);
}

TEST(Work, OfIterationsIsThatOfGraphsThatAreAlike) {
  for (const char* algorithm : {"eigenvector", "hits", "rwr", "pagerank"}) {
    SCOPED_TRACE(algorithm);
    const std::vector rates = {rate_of(algorithm, kEach, 20)};
    EXPECT_NEAR(runs_of(algorithm, rates, defaults), 20, 1);
    EXPECT_NEAR(runs_of(algorithm, rates, count_of("max-iter", 5)), 5, 1e-6) << "at most these";
    const double exact = runs_of(algorithm, rates, [](OptionValues& values) {
      values.set_real("tol", values.real("tol") * values.real("tol"));
    });
    EXPECT_GT(exact, 30) << "twice as far to go";
    EXPECT_LT(exact, 45);
  }
  EXPECT_EQ(runs_of("hits", {rate_of("hits")}, defaults), 0) << "not known how many there are";
  EXPECT_GT(runs_of("pagerank", {rate_of("pagerank")}, defaults), 0) << "a bound is";
}

TEST(Work, OfKatzIsToldByPathsOfTwoEdges) {
  generate::Spec spec;
  spec.scale = 10;
  const generate::Generator generator(spec);
  std::vector<Edge> edges(generator.edges());
  generator.fill(0, edges, {});
  graph::BuildOptions both_ways;
  both_ways.undirected = true;
  const Context ctx = Context::cpu();
  const Graph graph = make_graph(
      ctx,
      graph::build(
          VertexId{1} << spec.scale, [&](const auto& consume) { consume(edges, {}); }, both_ways),
      false);
  const std::unique_ptr<ListReader> lists = graph.out().read_lists();
  std::vector<EdgeId> offsets{0};
  for (VertexId v = 0; v < graph.vertices(); ++v) {
    EdgeId degree = 0;
    lists->read(v, [&](const PlainSpan& span) { degree += span.size; });
    offsets.push_back(offsets.back() + degree);
  }
  GraphShape shape = small_shape();
  shape.vertices = graph.vertices();
  shape.edges = graph.edges();
  shape.two_paths = two_paths_of(offsets, {});
  const double largest = *shape.two_paths / static_cast<double>(shape.edges);
  for (const double share : {.1, .5, .8}) {
    OptionValues values(find_planned("katz")->options);
    values.set_real("alpha", share / largest);
    const Workload work = workload_of("katz", shape, &values, true);
    const std::uint32_t took = katz(ctx, graph, {.alpha = share / largest}).iterations;
    ASSERT_EQ(work.kind, Reads::Kind::Sweeps) << share;
    EXPECT_GE(took + 1, work.supersteps.low) << share;
    EXPECT_LE(took, work.supersteps.high + 1) << share;
  }
  OptionValues values(find_planned("katz")->options);
  values.set_real("alpha", 1 / largest);
  EXPECT_EQ(workload_of("katz", shape, &values, true).kind, Reads::Kind::Unknown) << "without end";
}

TEST(Work, OfDirectedGraphsIsHeldAgainstDirectedOnes) {
  std::vector rates = {rate_of("scc"), rate_of("scc", 5 * kEach)};
  rates[1].directed = true;
  EXPECT_NEAR(runs_of("scc", rates, defaults), 1, 1e-6);
  EXPECT_NEAR(runs_of("scc", rates, defaults, small_shape(true)), 5, 1e-6);
  rates.pop_back();
  EXPECT_NEAR(runs_of("scc", rates, defaults, small_shape(true)), 1, 1e-6) << "for want of others";
}

TEST(Work, CostsNoLessPerEdgeInLargerGraphs) {
  std::vector rates = {rate_of("mis", 4 * kEach), rate_of("mis")};
  rates[0].vertices /= 8;
  rates[0].edges /= 8;
  GraphShape larger = small_shape();
  larger.vertices *= 64;
  larger.edges *= 64;
  EXPECT_NEAR(runs_of("mis", rates, defaults, larger), 64, 1e-6);
  std::swap(rates[0].seconds, rates[1].seconds);
  EXPECT_NEAR(runs_of("mis", rates, defaults, larger), 64 * 4 * 16, 1e-3) << "it rises as it rose";
}

TEST(TwoPaths, AreCountedAlongDirections) {
  EXPECT_EQ(two_paths_of(std::array<EdgeId, 4>{0, 1, 3, 4}, {}), 1 + 4 + 1);  // a path of three
  EXPECT_EQ(two_paths_of(std::array<EdgeId, 4>{0, 1, 2, 2}, std::array<EdgeId, 4>{0, 0, 1, 2}), 1);
  EXPECT_EQ(two_paths_of({}, {}), 0);
}

TEST(MeasuredRuns, HaveNamesOfTheirOwnAndAreMeasuredWhereThereIsAModel) {
  CpuOptions two_threads;
  two_threads.threads = 2;
  const MachineRates rates = measure_rates(Context::cpu(two_threads), 0, {7});
  std::set<std::string_view> names;
  for (const Algorithm* const algorithm : planned_descriptions()) {
    const std::string own(algorithm->name);
    SCOPED_TRACE(own);
    for (const MeasuredRun& run : algorithm->measured) {
      EXPECT_TRUE(names.insert(run.rate).second) << run.rate;
      EXPECT_NE(std::ranges::find(rates.work, run.rate, &WorkRate::algorithm), rates.work.end());
    }
    for (const bool directed : {false, true}) {
      GraphShape shape = small_shape(directed);
      shape.two_paths = 10. * kEdges;
      OptionValues values(algorithm->options);
      if (own == "katz") values.set_real("alpha", 1e-3);
      const Workload work = workload_of(own, shape, &values, true);
      EXPECT_EQ(work.sweeps, algorithm->sweeps);
      if (work.kind == Reads::Kind::Unknown) continue;
      for (const WorkRate& row : rates.work)
        if (row.algorithm == own && row.directed == directed && own == "assortativity") {
          EXPECT_EQ(static_cast<double>(row.supersteps), work.supersteps.low)
              << "reads of all edges, as plans count them";
        }
      for (const bool streamed : {false, true}) {
        const auto found = rates.seconds_per_edge(work.rate, streamed, shape);
        EXPECT_TRUE(found && found->low > 0) << work.rate;
      }
    }
  }
  for (const WorkRate& row : rates.work) {
    EXPECT_TRUE(std::isfinite(row.seconds) && row.seconds > 0) << row.algorithm;
    const bool iterates = std::set<std::string>{"pagerank", "hits", "rwr",           "eigenvector",
                                                "cdlp",     "katz", "assortativity", "reciprocity"}
                              .contains(row.algorithm);
    EXPECT_EQ(row.supersteps > 0, iterates) << row.algorithm;
  }
  EXPECT_EQ(rates_from_json(to_json(rates), "rates").work, rates.work);
}

TEST(MeasuredRuns, OfFilesOfBeforeSayNothingOfDirectionsAndSupersteps) {
  MachineRates rates;
  rates.device = "cpu";
  rates.threads = 2;
  rates.measured = "2026-11-21T00:00:00Z";
  rates.work = {rate_of("bfs")};
  const std::string before = to_json(rates);
  for (const char* key : {"directed", "two_paths", "supersteps"})
    EXPECT_EQ(before.find(key), std::string::npos);
  EXPECT_EQ(rates_from_json(before, "rates").work, rates.work);
  for (const char* wrong : {"\"directed\": 1,", "\"two_paths\": -1,", "\"supersteps\": 0.5,"}) {
    std::string damaged = before;
    damaged.insert(damaged.find("\"streamed\""), wrong);
    testing::expect_error(ErrorCode::BadInput, [&] { rates_from_json(damaged, "rates"); });
  }
}

}  // namespace
}  // namespace fathom::plan
