#include "fathom/algorithms/mis/mis.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <numeric>

#include "tests/reference/structure/independent_set.hpp"
#include "tests/suites/algorithm_suite.hpp"
#include "tests/suites/expect_error.hpp"
#include "tests/suites/random_graphs.hpp"

namespace fathom {
namespace {

using testing::AlgorithmSuite;
using testing::Configuration;
using testing::cpu_configurations;
using testing::expect_error;
using testing::to_vector;

class Mis : public AlgorithmSuite {
 protected:
  /// Compares with the reference and runs the certificate.
  void expect_right(bool in_edges, const MisOptions& options) const {
    const Context ctx = configuration().context();
    const Graph graph = place(ctx, in_edges);
    const MisResult result = maximal_independent_set(ctx, graph, options);
    const auto expected = found_by<reference::greedy_independent_set>(
        options.seed, options.order == MisOrder::Degree);
    EXPECT_EQ(to_vector(result.in_set), expected);
    EXPECT_EQ(result.size, std::accumulate(expected.begin(), expected.end(), VertexId{0}));
    EXPECT_EQ(result.rounds == 0, expected.empty());
    EXPECT_NO_THROW(verify_mis(ctx, graph, options, result));
  }
};

TEST_P(Mis, EqualsTheGreedyChoice) {
  expect_right(true, {});
}
TEST_P(Mis, EqualsTheGreedyChoiceInARandomOrder) {
  expect_right(true, {5, MisOrder::Random});
}
TEST_P(Mis, DoesNotNeedInEdges) {
  if (!raw().directed) return;
  expect_right(false, {7, MisOrder::Degree});
  expect_right(false, {7, MisOrder::Random});
}

INSTANTIATE_TEST_SUITE_P(Zoo, Mis, testing::each_in_each(zoo::unweighted_graphs()),
                         testing::suite_name);

RC_GTEST_PROP(MisProperty, EqualsTheReferenceOnRandomGraphs, ()) {
  const zoo::RawGraph raw = zoo::random_graph(false);
  const auto configurations = cpu_configurations();
  const Configuration where = *rc::gen::elementOf(configurations);
  const Context ctx = where.context();
  const Graph graph = testing::place(ctx, where, raw, *rc::gen::arbitrary<bool>());
  const MisOptions options{*rc::gen::arbitrary<std::uint64_t>(),
                           *rc::gen::element(MisOrder::Degree, MisOrder::Random)};
  const MisResult result = maximal_independent_set(ctx, graph, options);
  RC_ASSERT(to_vector(result.in_set) ==
            reference::greedy_independent_set(zoo::to_reference(raw), options.seed,
                                              options.order == MisOrder::Degree));
  verify_mis(ctx, graph, options, result);
}

TEST(MisRun, StopsWhenTheTaskIsCancelled) {
  std::stop_source stop;
  stop.request_stop();
  CpuOptions options;
  options.task.stop = stop.get_token();
  const Context ctx = Context::cpu(options);
  const Graph graph = make_graph(ctx, zoo::build(zoo::grid()), false);
  expect_error(ErrorCode::Interrupted, [&] { maximal_independent_set(ctx, graph); });
}

TEST(MisRun, SeedsGiveOtherSets) {
  const Context ctx = Context::cpu();
  const Graph graph = make_graph(ctx, zoo::build(zoo::grid()), false);
  EXPECT_NE(to_vector(maximal_independent_set(ctx, graph, {1}).in_set),
            to_vector(maximal_independent_set(ctx, graph, {2}).in_set));
}

/// The leaves of a star, by degree; a loop does not matter, nobody else is there.
TEST(MisRun, TakesLeavesBeforeHubs) {
  const Context ctx = Context::cpu();
  const Graph graph = make_graph(
      ctx, zoo::build({"Star", 6, true, {{0, 1}, {2, 0}, {0, 3}, {4, 0}, {5, 5}}, {}}), true);
  EXPECT_EQ(to_vector(maximal_independent_set(ctx, graph).in_set),
            (std::vector<std::uint32_t>{0, 1, 1, 1, 1, 1}));
}

/// The path 0 - 1 - 2 - 3 - 4 and a lone 5 with a loop: by degree the ends go first, then 2.
class MisCertificate : public ::testing::TestWithParam<Configuration> {
 protected:
  void expect_refuted(const std::string& reason) const {
    expect_error(
        ErrorCode::VerificationFailed, [&] { verify_mis(ctx_, graph_, {}, result_); }, reason);
  }
  void set(std::vector<std::uint32_t> in_set) {
    std::copy(in_set.begin(), in_set.end(), result_.in_set.begin());
    result_.size = std::accumulate(in_set.begin(), in_set.end(), VertexId{0});
  }

  const Context ctx_ = GetParam().context();
  const Graph graph_ = testing::place(
      ctx_, GetParam(), {"Path", 6, true, {{0, 1}, {2, 1}, {2, 3}, {4, 3}, {5, 5}}, {}});
  MisResult result_ = maximal_independent_set(ctx_, graph_);
};

TEST_P(MisCertificate, HoldsForWhatWasComputed) {
  EXPECT_EQ(to_vector(result_.in_set), (std::vector<std::uint32_t>{1, 0, 1, 0, 1, 1}));
  EXPECT_NO_THROW(verify_mis(ctx_, graph_, {}, result_));
}
TEST_P(MisCertificate, RefutesTooFewNumbers) {
  result_.in_set = Array<std::uint32_t>(5, 0);
  expect_refuted("per vertex");
}
TEST_P(MisCertificate, RefutesOtherNumbers) {
  result_.in_set[2] = 2;
  expect_refuted("vertex 2 has neither");
}
TEST_P(MisCertificate, RefutesAWrongSize) {
  ++result_.size;
  expect_refuted("4 vertices, not 5");
}
TEST_P(MisCertificate, RefutesNeighbours) {
  set({1, 0, 1, 1, 0, 1});
  expect_refuted("vertex 2 is in the set, and so is a neighbour");
}
TEST_P(MisCertificate, RefutesASetThatIsNotMaximal) {
  set({1, 0, 0, 0, 1, 1});
  expect_refuted("vertex 2 could be added");
}
TEST_P(MisCertificate, RefutesALoopThatIsLeftOut) {
  set({1, 0, 1, 0, 1, 0});
  expect_refuted("vertex 5 could be added");
}
TEST_P(MisCertificate, RefutesAMaximalSetOfAnotherOrder) {
  set({0, 1, 0, 1, 0, 1});
  expect_refuted("vertex 0 goes before");
}

INSTANTIATE_TEST_SUITE_P(Cpu, MisCertificate, ::testing::ValuesIn(cpu_configurations()),
                         testing::configuration_name);

}  // namespace
}  // namespace fathom
