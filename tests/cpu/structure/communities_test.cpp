// What every method for communities by modularity finds.
#include <gtest/gtest.h>

#include "fathom/algorithms/leiden/leiden.hpp"
#include "fathom/algorithms/louvain/louvain.hpp"
#include "tests/suites/algorithm_suite.hpp"
#include "tests/suites/cliques.hpp"

namespace fathom {
namespace {

using testing::to_vector;
using zoo::ring_of_cliques;

struct ByLouvain {
  using Options = LouvainOptions;
  static constexpr auto kRun = louvain;
};
struct ByLeiden {
  using Options = LeidenOptions;
  static constexpr auto kRun = leiden;
};

template <class Method>
class CommunitiesRun : public ::testing::Test {
 protected:
  static LouvainResult run(const zoo::RawGraph& raw, const typename Method::Options& options) {
    CpuOptions one;
    one.threads = 1;
    const Context ctx = Context::cpu(one);
    const Graph graph = make_graph(ctx, zoo::build(raw, graph::Duplicates::Keep), false);
    return Method::kRun(ctx, graph, options);
  }
};

using Methods = ::testing::Types<ByLouvain, ByLeiden>;
TYPED_TEST_SUITE(CommunitiesRun, Methods);

TYPED_TEST(CommunitiesRun, FindsCliques) {
  const LouvainResult result = this->run(ring_of_cliques(8), {});
  for (std::size_t v = 0; v < 48; ++v) EXPECT_EQ(result.community[v], v / 6 * 6);
  EXPECT_EQ(result.communities, 8u);
  EXPECT_TRUE(result.converged);
  EXPECT_DOUBLE_EQ(result.modularity, 15. / 16 - 1. / 8);
}

TYPED_TEST(CommunitiesRun, MakesFewerCommunitiesOfASmallerResolution) {
  const auto count = [](double resolution) {
    return TestFixture::run(ring_of_cliques(8), {.resolution = resolution}).communities;
  };
  EXPECT_EQ(count(0), 1u);
  EXPECT_LT(count(0.1), 8u);
  EXPECT_GT(count(50), 40u);
}

TYPED_TEST(CommunitiesRun, FollowsWeights) {
  // A square: its heavy sides are communities, unless edges are alike.
  const LouvainResult result = this->run(
      {"Square", 5, false, {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {4, 4}}, {1, 5, 1, 5, 0}}, {});
  EXPECT_EQ(to_vector(result.community), (std::vector<VertexId>{0, 1, 1, 0, 4}));
  EXPECT_EQ(result.modularity, 10. / 12 - .5);
}

}  // namespace
}  // namespace fathom
