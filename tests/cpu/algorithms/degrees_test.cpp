#include "fathom/algorithms/degrees/degrees.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "tests/reference/degrees.hpp"
#include "tests/suites/algorithm_suite.hpp"
#include "tests/suites/expect_error.hpp"

namespace fathom {
namespace {

using testing::AlgorithmSuite;
using testing::Configuration;
using testing::cpu_configurations;
using testing::expect_error;
using testing::to_vector;

class Degrees : public AlgorithmSuite {
 protected:
  void expect_right(bool in_edges) const {
    const Context ctx = configuration().context();
    const Graph graph = place(ctx, in_edges);
    const DegreesResult result = degrees(ctx, graph);
    const reference::Degrees expected = found_by<reference::degrees>();
    EXPECT_EQ(to_vector(result.out), expected.out);
    if (raw().directed)
      EXPECT_EQ(to_vector(result.in), expected.in);
    else
      EXPECT_TRUE(result.in.empty());
    for (VertexId v = 0; v < raw().vertices; ++v)
      EXPECT_EQ(result.degree(v), expected.out[v] + (raw().directed ? expected.in[v] : 0));
    EXPECT_NO_THROW(verify_degrees(ctx, graph, result));
  }
};

TEST_P(Degrees, EqualTheReference) {
  expect_right(true);
}
TEST_P(Degrees, DoNotNeedInEdges) {
  if (raw().directed) expect_right(false);
}

INSTANTIATE_TEST_SUITE_P(Zoo, Degrees, testing::each_in_each(zoo::unweighted_graphs()),
                         testing::suite_name);

class DegreesCertificate : public ::testing::TestWithParam<Configuration> {
 protected:
  void expect_refuted(const std::string& reason) const {
    expect_error(
        ErrorCode::VerificationFailed, [&] { verify_degrees(ctx_, graph_, result_); }, reason);
  }
  const Context ctx_ = GetParam().context();
  const Graph graph_ =
      testing::place(ctx_, GetParam(), {"Vee", 4, true, {{0, 1}, {2, 1}, {2, 2}}, {}});
  DegreesResult result_ = degrees(ctx_, graph_);
};

TEST_P(DegreesCertificate, RefutesADegreeThatIsMissing) {
  result_.in = Array<EdgeId>(3, 0);
  expect_refuted("per vertex and direction");
}
TEST_P(DegreesCertificate, RefutesAWrongOutDegree) {
  ++result_.out[1];
  expect_refuted("vertex 1 has another number of out-edges");
}
TEST_P(DegreesCertificate, RefutesAWrongInDegree) {
  --result_.in[2];
  expect_refuted("vertex 2 has another number of in-edges");
}

INSTANTIATE_TEST_SUITE_P(Cpu, DegreesCertificate, ::testing::ValuesIn(cpu_configurations()),
                         testing::configuration_name);

TEST(DegreeDistribution, CountsEachDegreeThatOccurs) {
  const std::vector<EdgeId> degrees{3, 0, 3, EdgeId{1} << 40, 65535, 65536, 3};
  const std::vector<DegreeFrequency> expected{
      {0, 1}, {3, 3}, {65535, 1}, {65536, 1}, {EdgeId{1} << 40, 1}};
  EXPECT_EQ(degree_distribution(degrees), expected);
  EXPECT_TRUE(degree_distribution({}).empty());
}

TEST(HurwitzZeta, EqualsKnownValues) {
  const double pi = std::acos(-1.0);
  EXPECT_NEAR(hurwitz_zeta(2, 1), pi * pi / 6, 1e-12);
  EXPECT_NEAR(hurwitz_zeta(4, 1), std::pow(pi, 4) / 90, 1e-12);
  EXPECT_NEAR(hurwitz_zeta(2, 3), pi * pi / 6 - 1.25, 1e-12);
  EXPECT_NEAR(hurwitz_zeta(1.5, 1), 2.6123753486854883, 1e-11);
  // The sums from 1000 and from 1001 on differ by one term.
  EXPECT_NEAR((hurwitz_zeta(2.5, 1000) - hurwitz_zeta(2.5, 1001)) * std::pow(1000., 2.5), 1, 1e-8);
}

/// Vertices in proportion to degree^-alpha, rounded.
std::vector<DegreeFrequency> exact_law(double alpha, std::uint64_t from, std::uint64_t to) {
  std::vector<DegreeFrequency> law;
  for (std::uint64_t d = from; d <= to; ++d)
    if (const double n = std::round(1e9 * std::pow(static_cast<double>(d), -alpha)); n > 0)
      law.push_back({d, static_cast<std::uint64_t>(n)});
  return law;
}

TEST(PowerLawFit, FindsTheExponentOfAnExactLaw) {
  for (const double alpha : {2.1, 2.5, 3.5}) {
    const auto law = fit_power_law(exact_law(alpha, 1, 20000));
    ASSERT_TRUE(law.has_value());
    EXPECT_NEAR(law->alpha, alpha, 0.01);
    EXPECT_LT(law->distance, 0.001);
  }
}

TEST(PowerLawFit, FindsWhereTheTailBegins) {
  std::vector<DegreeFrequency> distribution{{0, 1000000000}};
  const auto tail = exact_law(2.5, 8, 20000);
  for (std::uint64_t d = 1; d < 8; ++d) distribution.push_back({d, tail.front().vertices});
  distribution.insert(distribution.end(), tail.begin(), tail.end());
  const auto law = fit_power_law(distribution);
  ASSERT_TRUE(law.has_value());
  EXPECT_EQ(law->minimum, 8u);
  EXPECT_NEAR(law->alpha, 2.5, 0.01);
}

TEST(PowerLawFit, NeedsATail) {
  EXPECT_FALSE(fit_power_law({}).has_value());
  const std::vector<DegreeFrequency> regular{{0, 3}, {4, 1000}};
  EXPECT_FALSE(fit_power_law(regular).has_value());
  const std::vector<DegreeFrequency> few{{1, 20}, {2, 10}, {9, 1}};
  EXPECT_FALSE(fit_power_law(few).has_value());
}

}  // namespace
}  // namespace fathom
