// Orders of graphs on a store's disk: those of the resident graph, found within the budget.
#include <gtest/gtest.h>

#include "fathom/reorder/order.hpp"
#include "tests/cpu/ssd/streamed.hpp"

namespace fathom {
namespace {

using store::kMi;

std::vector<VertexId> positions(const Context& ctx, const Graph& graph, reorder::Method method) {
  const reorder::Permutation order = reorder::make_order(ctx, graph, {method});
  return {order.positions().begin(), order.positions().end()};
}

TEST_F(Streamed, OrdersAreThoseOfTheResidentGraphWithinTheBudget) {
  using reorder::Method;
  const Context plain = context(MemoryPool::kUnlimited);
  for (const bool directed : {false, true}) {
    const Graph resident = load(plain, path(directed));
    for (const Method method :
         {Method::IndegreeNeighbors, Method::Halo2, Method::Rcm, Method::Bp, Method::BfsBp}) {
      SCOPED_TRACE(reorder::name_of(method));
      const auto expected = positions(plain, resident, method);
      for (const bool slotted : {false, true}) {
        // The undirected lists are 4 MiB, the slotted pages 2 MiB each.
        const std::size_t host = (method == Method::Bp ? 7 : 9) * kMi;
        const Context ctx = context(host, slotted ? 2 : 0, 9 * kMi);
        const Graph graph = load(ctx, path(directed, slotted), streamed({}));
        EXPECT_TRUE(positions(ctx, graph, method) == expected);
        EXPECT_LE(ctx.peak_host_bytes(), host);
      }
    }
  }
}

/// What a budget does: the order, or the budget that the refusal names.
TEST_F(Streamed, TheLeastBudgetOfAnOrderIsNamed) {
  const Context plain = context(MemoryPool::kUnlimited);
  const auto expected = positions(plain, load(plain, path(false)), reorder::Method::Bp);
  std::size_t budget = kMi, refusals = 0;
  for (;; ++refusals) {
    ASSERT_LT(refusals, 4u) << "a budget that was named did not do";
    try {
      const Context ctx = context(budget);
      const Graph graph = load(ctx, path(false), streamed({}));
      EXPECT_TRUE(positions(ctx, graph, reorder::Method::Bp) == expected);
      EXPECT_LE(ctx.peak_host_bytes(), budget);
      break;
    } catch (const Error& e) {
      ASSERT_EQ(e.code(), ErrorCode::DoesNotFit) << e.what();
      const std::string what = e.what();
      const std::size_t at = what.find("at least ");
      ASSERT_NE(at, std::string::npos) << what;
      budget = std::stoul(what.substr(at + 9)) * 1024;
    }
  }
  EXPECT_GT(refusals, 0u);
  EXPECT_LT(budget, 7 * kMi);
}

}  // namespace
}  // namespace fathom
