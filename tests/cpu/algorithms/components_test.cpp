#include "fathom/algorithms/components/components.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>

#include "tests/reference/components.hpp"
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

class Components : public AlgorithmSuite {
 protected:
  /// Compares everything with the reference and runs the certificate.
  void expect_right(bool in_edges) const {
    const Context ctx = configuration().context();
    const Graph graph = place(ctx, in_edges);
    const ComponentsResult result = connected_components(ctx, graph);
    const std::vector<VertexId> expected = found_by<reference::components>();
    EXPECT_EQ(to_vector(result.label), expected);
    std::map<VertexId, VertexId> sizes;
    VertexId largest = 0;
    for (const VertexId label : expected) largest = std::max(largest, ++sizes[label]);
    EXPECT_EQ(result.components, sizes.size());
    EXPECT_EQ(result.largest, largest);
    EXPECT_NO_THROW(verify_components(ctx, graph, result));
  }
};

TEST_P(Components, EqualUnionFind) {
  expect_right(true);
}
TEST_P(Components, DoNotNeedInEdges) {
  if (raw().directed) expect_right(false);
}

INSTANTIATE_TEST_SUITE_P(Zoo, Components, testing::each_in_each(zoo::all_graphs()),
                         testing::suite_name);

RC_GTEST_PROP(ComponentsProperty, EqualUnionFindOnRandomGraphs, ()) {
  const zoo::RawGraph raw = zoo::random_graph(false);
  const auto configurations = cpu_configurations();
  const Configuration where = *rc::gen::elementOf(configurations);
  const Context ctx = where.context();
  const Graph graph = testing::place(ctx, where, raw, *rc::gen::arbitrary<bool>());
  const ComponentsResult result = connected_components(ctx, graph);
  RC_ASSERT(to_vector(result.label) == reference::components(zoo::to_reference(raw)));
}

/// A cancelled task ends the run.
TEST(ComponentsRun, StopsWhenTheTaskIsCancelled) {
  std::stop_source stop;
  stop.request_stop();
  CpuOptions options;
  options.task.stop = stop.get_token();
  const Context ctx = Context::cpu(options);
  const Graph graph = make_graph(ctx, zoo::build(zoo::grid()), false);
  expect_error(ErrorCode::Interrupted, [&] { connected_components(ctx, graph); });
}

/// Two pieces, {0, 1, 2} and {3, 4}, and a lone 5.
class ComponentsCertificate : public ::testing::TestWithParam<Configuration> {
 protected:
  void expect_refuted(const std::string& reason) const {
    expect_error(
        ErrorCode::VerificationFailed, [&] { verify_components(ctx_, graph_, result_); }, reason);
  }

  const Context ctx_ = GetParam().context();
  const Graph graph_ =
      testing::place(ctx_, GetParam(), {"Pieces", 6, false, {{0, 1}, {1, 2}, {3, 4}}, {}});
  ComponentsResult result_ = connected_components(ctx_, graph_);
};

TEST_P(ComponentsCertificate, RefutesTooFewLabels) {
  result_.label = Array<VertexId>(5, 0);
  expect_refuted("one label per vertex");
}
TEST_P(ComponentsCertificate, RefutesALabelThatIsNotTheSmallest) {
  result_.label[3] = 4;
  expect_refuted("greater");
}
TEST_P(ComponentsCertificate, RefutesALabelOfAnotherClass) {
  result_.label[4] = 2;
  expect_refuted("not of its own class");
}
TEST_P(ComponentsCertificate, RefutesAWrongNumberOfComponents) {
  ++result_.components;
  expect_refuted("are reported");
}
TEST_P(ComponentsCertificate, RefutesAWrongLargestSize) {
  --result_.largest;
  expect_refuted("largest");
}
TEST_P(ComponentsCertificate, RefutesAComponentInTwoClasses) {
  result_.label[4] = 4;
  ++result_.components;
  expect_refuted("vertex 3 has an edge to a vertex of another label");
}
TEST_P(ComponentsCertificate, RefutesAClassOfTwoComponents) {
  result_.label[5] = 3;
  --result_.components;
  expect_refuted("connect the vertices into 3");
}

INSTANTIATE_TEST_SUITE_P(Cpu, ComponentsCertificate, ::testing::ValuesIn(cpu_configurations()),
                         testing::configuration_name);

}  // namespace
}  // namespace fathom
