#include "fathom/algorithms/components.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>

#include "tests/reference/components.hpp"
#include "tests/suites/configurations.hpp"
#include "tests/suites/random_graphs.hpp"
#include "tests/suites/zoo_csr.hpp"
#include "tests/suites/zoo_reference.hpp"

namespace fathom {
namespace {

using testing::Configuration;
using testing::cpu_configurations;

Graph place(const Context& ctx, const Configuration& where, const zoo::RawGraph& raw,
            bool in_edges = true) {
  graph::BuiltGraph built = zoo::build(raw);
  if (!in_edges) built.in.reset();
  const EdgeId edges = built.out.edges();
  return make_graph(ctx, std::move(built), raw.directed, where.residency_for(edges));
}

std::vector<VertexId> to_vector(const Array<VertexId>& a) {
  return {a.begin(), a.end()};
}

/// Compares everything with the reference and runs the certificate.
void expect_right(const Configuration& where, const zoo::RawGraph& raw, bool in_edges) {
  SCOPED_TRACE(raw.name + (in_edges ? "" : " without in-edges"));
  const Context ctx = where.context();
  const Graph graph = place(ctx, where, raw, in_edges);
  const ComponentsResult result = connected_components(ctx, graph);
  const std::vector<VertexId> expected = reference::components(zoo::to_reference(raw));
  EXPECT_EQ(to_vector(result.label), expected);
  std::map<VertexId, VertexId> sizes;
  VertexId largest = 0;
  for (const VertexId label : expected) largest = std::max(largest, ++sizes[label]);
  EXPECT_EQ(result.components, sizes.size());
  EXPECT_EQ(result.largest, largest);
  EXPECT_NO_THROW(verify_components(ctx, graph, result));
}

class Components : public ::testing::TestWithParam<Configuration> {};

TEST_P(Components, EqualsUnionFindOnTheZoo) {
  for (const zoo::RawGraph& raw : zoo::all_graphs()) {
    expect_right(GetParam(), raw, true);
    if (raw.directed) expect_right(GetParam(), raw, false);
  }
}

INSTANTIATE_TEST_SUITE_P(Cpu, Components, ::testing::ValuesIn(cpu_configurations()),
                         [](const auto& p) { return p.param.name; });

RC_GTEST_PROP(ComponentsProperty, EqualUnionFindOnRandomGraphs, ()) {
  const zoo::RawGraph raw = zoo::random_graph(false);
  const auto configurations = cpu_configurations();
  const Configuration where = *rc::gen::elementOf(configurations);
  const Context ctx = where.context();
  const Graph graph = place(ctx, where, raw, *rc::gen::arbitrary<bool>());
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
  try {
    connected_components(ctx, graph);
    FAIL() << "not interrupted";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::Interrupted);
  }
}

/// Two pieces, {0, 1, 2} and {3, 4}, and a lone 5.
class ComponentsCertificate : public ::testing::TestWithParam<Configuration> {
 protected:
  void expect_refuted(const ComponentsResult& result, const std::string& reason) {
    try {
      verify_components(ctx_, graph_, result);
      FAIL() << "not refuted: " << reason;
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::VerificationFailed);
      EXPECT_NE(std::string(e.what()).find(reason), std::string::npos) << e.what();
    }
  }

  const Context ctx_ = GetParam().context();
  const Graph graph_ = place(ctx_, GetParam(), {"Pieces", 6, false, {{0, 1}, {1, 2}, {3, 4}}, {}});
  ComponentsResult result_ = connected_components(ctx_, graph_);
};

TEST_P(ComponentsCertificate, RefutesTooFewLabels) {
  result_.label = Array<VertexId>(5, 0);
  expect_refuted(result_, "one label per vertex");
}
TEST_P(ComponentsCertificate, RefutesALabelThatIsNotTheSmallest) {
  result_.label[3] = 4;
  expect_refuted(result_, "greater");
}
TEST_P(ComponentsCertificate, RefutesALabelOfAnotherClass) {
  result_.label[4] = 2;
  expect_refuted(result_, "not of its own class");
}
TEST_P(ComponentsCertificate, RefutesAWrongNumberOfComponents) {
  ++result_.components;
  expect_refuted(result_, "are reported");
}
TEST_P(ComponentsCertificate, RefutesAWrongLargestSize) {
  --result_.largest;
  expect_refuted(result_, "largest");
}
TEST_P(ComponentsCertificate, RefutesAComponentInTwoClasses) {
  result_.label[4] = 4;
  ++result_.components;
  expect_refuted(result_, "edge to a vertex of another label");
}
TEST_P(ComponentsCertificate, RefutesAClassOfTwoComponents) {
  result_.label[5] = 3;
  --result_.components;
  expect_refuted(result_, "connect the vertices into 3");
}

INSTANTIATE_TEST_SUITE_P(Cpu, ComponentsCertificate, ::testing::ValuesIn(cpu_configurations()),
                         [](const auto& p) { return p.param.name; });

}  // namespace
}  // namespace fathom
