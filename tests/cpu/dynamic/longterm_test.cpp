// Graphs in use for long (section 4.3.2 of Winter's thesis): what comes and goes leaves no memory
// behind.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "fathom/dynamic/updates/update_rounds.hpp"
#include "tests/suites/expect_error.hpp"
#include "tests/suites/zoo.hpp"

namespace fathom::testing {
namespace {

using dynamic::RoundKind;

class LongTerm : public ::testing::TestWithParam<std::tuple<const char*, PageAllocator>> {};

TEST_P(LongTerm, memory_comes_back_and_does_not_grow) {
  const RoundKind kind = dynamic::round_kind(std::get<0>(GetParam()));
  const Context ctx = Context::cpu();
  DynamicGraphOptions options;
  options.allocator = std::get<1>(GetParam());
  options.directed = false;
  options.memory = std::size_t{1} << 28;
  options.most_vertices = 2000;
  DynamicGraph graph(ctx, options);
  std::vector<EdgeUpdate> first;
  for (const auto& [u, v] : zoo::random_edges(2000, 12000, 5))
    first.push_back(EdgeUpdate::insert(u, v));
  graph.apply({2000, first, {}});
  const Csr before = graph.to_csr();
  const std::size_t page_bytes = graph.memory().page_bytes;
  dynamic::UpdateRounds rounds(kind, 4000, 9);
  constexpr int kRounds = 240;  // the sweep goes over all vertices six times
  std::size_t early = 0;
  int returns = 0;
  for (int r = 0; r < kRounds || !rounds.back_to_start(); ++r) {
    const std::vector<EdgeUpdate> updates = rounds.next(graph);
    const BatchReport report = graph.apply({0, updates, {}});
    ASSERT_EQ(report.inserted + report.removed, updates.size());
    if (r < kRounds / 3) early = std::max(early, graph.memory().reserved_bytes);
    if (!rounds.back_to_start()) continue;
    ++returns;
    ASSERT_EQ(graph.memory().page_bytes, page_bytes) << "round " << r;
    ASSERT_EQ(graph.edges(), before.target.size());
  }
  EXPECT_GE(returns, kind == RoundKind::Random ? 1 : kRounds / 2);
  EXPECT_LE(graph.memory().reserved_bytes, early + early / 100);
  const Csr after = graph.to_csr();
  EXPECT_TRUE(std::ranges::equal(before.offset, after.offset));
  EXPECT_TRUE(std::ranges::equal(before.target, after.target));
}

INSTANTIATE_TEST_SUITE_P(Rounds, LongTerm,
                         ::testing::Combine(::testing::Values("uniform", "random", "sweep"),
                                            ::testing::ValuesIn(page_allocators().begin(),
                                                                page_allocators().end() - 1)),
                         [](const auto& param) {
                           std::string name = std::get<0>(param.param) + std::string("_") +
                                              std::string(name_of(std::get<1>(param.param)));
                           std::erase(name, '-');
                           return name;
                         });

TEST(UpdateRounds, have_names) {
  expect_error(
      ErrorCode::Usage, [] { dynamic::round_kind("long"); }, "sweep");
}

}  // namespace
}  // namespace fathom::testing
