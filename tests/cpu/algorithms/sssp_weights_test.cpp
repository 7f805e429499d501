// Shortest paths along weights of the caller, which are doubles beside a graph.
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "fathom/algorithms/sssp/sssp.hpp"
#include "fathom/algorithms/state_sizes.hpp"
#include "tests/reference/dijkstra.hpp"
#include "tests/suites/algorithm_suite.hpp"
#include "tests/suites/expect_error.hpp"

namespace fathom {
namespace {

using testing::Configuration;
using testing::expect_error;
using testing::to_vector;

/// A graph with weights beside it, one per edge by its position, and lists of the same.
struct Weighted {
  graph::BuiltGraph built;
  bool directed;
  std::vector<double> weights;
  std::vector<std::vector<reference::WideArc>> lists;

  Weighted(const zoo::RawGraph& raw, const std::function<double(zoo::Dice&)>& weight)
      : built(zoo::build(raw)), directed(raw.directed), lists(raw.vertices) {
    zoo::Dice dice(17);
    const CsrView out = built.out.view();
    for (VertexId u = 0; u < out.vertices; ++u)
      for (EdgeId e = out.offset[u]; e < out.offset[u + 1]; ++e) {
        weights.push_back(weight(dice));
        lists[u].push_back({out.target[e], weights.back()});
      }
  }

  Graph place(const Context& ctx, const Configuration& where) const {
    std::optional<CsrView> in;
    if (built.in) in = built.in->view();
    return where.place(ctx, built.out.view(), in ? &*in : nullptr, directed);
  }
  SsspOptions options(double delta = 0) const {
    return {.delta = delta, .precision = SsspPrecision::Double, .weights = weights};
  }
};

double tenths(zoo::Dice& dice) {
  return dice.roll(1000) / 10.;
}
double large_integers(zoo::Dice& dice) {
  return 0x1p53 - 1 - dice.roll(100);
}
double huge(zoo::Dice& dice) {
  return 1e300 * (1 + dice.roll(50));
}

using SsspWeightsZoo = testing::AlgorithmSuite;

TEST_P(SsspWeightsZoo, DistancesEqualDijkstra) {
  if (raw().vertices == 0) return;
  const Context ctx = configuration().context();
  for (const auto& weight : {tenths, large_integers, huge}) {
    const Weighted graph(raw(), weight);
    const Graph placed = graph.place(ctx, configuration());
    for (const VertexId source : {VertexId{0}, VertexId{raw().vertices / 2}}) {
      const std::vector<double> expected = reference::dijkstra_wide(graph.lists, source);
      for (const double delta : {0., 40.}) {
        const SsspResult result = sssp(ctx, placed, source, graph.options(delta));
        EXPECT_EQ(to_vector(result.double_distance), expected);
        verify_sssp(ctx, placed, source, result, graph.options());
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Zoo, SsspWeightsZoo,
    testing::each_in_each({zoo::one_vertex(), zoo::self_loops(), zoo::grid(), zoo::multi_edges(),
                           zoo::rmat(true), zoo::rmat(false), zoo::disconnected_pieces(),
                           zoo::page_borders(),
                           zoo::weighted(zoo::uniform(true), zoo::Weights::Positive)}),
    testing::suite_name);

TEST(SsspWeights, AnswersAlikeWithWhateverMemoryIsLeftForPendingVertices) {
  const zoo::RawGraph raw{"Heavy", 20'000, true, zoo::random_edges(20'000, 200'000, 11), {}};
  const Weighted graph(raw, [](zoo::Dice& dice) { return 1 + dice.roll(254) / 3.; });
  const std::vector<double> expected = reference::dijkstra_wide(graph.lists, 0);
  Configuration where;
  where.cpu.threads = 3;
  const auto run = [&](std::size_t budget) {
    where.cpu.host_memory = budget;
    const Context ctx = where.context();
    const Graph placed = graph.place(ctx, where);
    EXPECT_EQ(to_vector(sssp(ctx, placed, 0, graph.options(20)).double_distance), expected);
    return ctx.host_memory()->peak();
  };
  const std::size_t most = run(MemoryPool::kUnlimited);
  const StateSize size = sssp_state(sizeof(double));
  const auto least = static_cast<std::size_t>((size.whole + size.lists) * raw.vertices) + 4096;
  ASSERT_LT(least + (std::size_t{256} << 10), most) << "bins take next to nothing";
  for (std::size_t budget = least; budget < most; budget += (most - least) / 5 + 1) run(budget);
}

class SsspWeightsOnAHost : public ::testing::Test {
 protected:
  SsspWeightsOnAHost() : ctx_(Context::cpu()), graph_(zoo::grid(), tenths) {
    placed_ = graph_.place(ctx_, {});
  }
  void expect_refused(ErrorCode code, const SsspOptions& options, const std::string& why) {
    expect_error(
        code, [&] { sssp(ctx_, *placed_, 0, options); }, why);
  }

  Context ctx_;
  Weighted graph_;
  std::optional<Graph> placed_;
};

TEST_F(SsspWeightsOnAHost, AreRefusedWhenTheyAreNotOnePerEdge) {
  SsspOptions options = graph_.options();
  options.weights = options.weights.first(7);
  expect_refused(ErrorCode::Usage, options, "7 weights of the caller for");
}
TEST_F(SsspWeightsOnAHost, AreRefusedInFloat) {
  SsspOptions options = graph_.options();
  options.precision = SsspPrecision::Float;
  expect_refused(ErrorCode::Usage, options, "double precision");
}
TEST_F(SsspWeightsOnAHost, AreRefusedWhenOneIsNegativeOrNoNumber) {
  for (const double bad : {-1., std::numeric_limits<double>::quiet_NaN()}) {
    graph_.weights[0] = bad;
    expect_refused(ErrorCode::BadInput, graph_.options(), "negative");
  }
}
TEST_F(SsspWeightsOnAHost, AreWhatTheCertificateGoesBy) {
  const SsspResult result = sssp(ctx_, *placed_, 0, graph_.options());
  verify_sssp(ctx_, *placed_, 0, result, graph_.options());
  expect_error(ErrorCode::VerificationFailed,
               [&] { verify_sssp(ctx_, *placed_, 0, result); });  // by those of the graph
  graph_.weights[0] += 1e-13;
  expect_error(ErrorCode::VerificationFailed,
               [&] { verify_sssp(ctx_, *placed_, 0, result, graph_.options()); });
}

TEST(SsspWeights, AreRefusedWhereStateIsSplit) {
  Configuration where;
  where.cpu.devices = 2;
  where.cpu.device_memory = std::size_t{64} << 20;
  where.residency.kind = ResidencyOptions::Kind::Stream;
  where.residency.paging.strategy = Strategy::Scalability;
  const Weighted graph(zoo::grid(), tenths);
  const Context ctx = where.context();
  const Graph placed = graph.place(ctx, where);
  expect_error(ErrorCode::Usage, [&] { sssp(ctx, placed, 0, graph.options()); });
}

}  // namespace
}  // namespace fathom
