// Devices that have unequal room, since something else has taken memory of each: every algorithm
// answers as on the host, or says that it does not fit. (A sum of parts that devices computed from
// borders of their own would be neither.)
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/suites/algorithm_suite.hpp"
#include "tests/suites/every_algorithm.hpp"
#include "tests/suites/expect_error.hpp"

namespace fathom {
namespace {

using testing::Answer;
using testing::Configuration;
using testing::difference;
using testing::every_algorithm;
using testing::EveryAlgorithm;
using testing::place;

/// Up to 600 vertices, a few of which are neighbours of a large share of the others.
zoo::RawGraph with_hubs(std::uint64_t seed) {
  zoo::Dice dice(seed);
  zoo::RawGraph g;
  g.name = "WithHubs";
  g.vertices = 1 + dice.roll(dice.roll(4) == 0 ? 300 : 90);
  g.directed = dice.roll(2) == 0;
  g.edges = zoo::random_edges(g.vertices, dice.roll(6 * g.vertices), seed + 1);
  for (std::uint32_t hubs = dice.roll(4); hubs > 0; --hubs) {
    const std::uint32_t hub = dice.roll(g.vertices), every = 1 + dice.roll(3);
    for (std::uint32_t v = dice.roll(g.vertices); v < g.vertices; v += every)
      g.edges.emplace_back(dice.roll(2) == 0 ? zoo::Pair{hub, v} : zoo::Pair{v, hub});
  }
  return dice.roll(2) == 0 ? g : zoo::weighted(g, zoo::Weights::Fraction);
}

/// 1 to 4 emulated devices, a strategy, a page size, a layout.
Configuration random_devices(zoo::Dice& dice) {
  Configuration c;
  c.cpu.threads = 2;
  c.cpu.devices = static_cast<int>(1 + dice.roll(4));
  c.cpu.device_memory = std::size_t{1024} << dice.roll(11);
  c.cpu.device_memory += dice.roll(static_cast<std::uint32_t>(c.cpu.device_memory));
  c.residency.kind = ResidencyOptions::Kind::Stream;
  PagingOptions& paging = c.residency.paging;
  paging.page_bytes = std::size_t{64} << (2 * dice.roll(4));
  paging.strategy =
      std::array{Strategy::Auto, Strategy::Performance, Strategy::Scalability}[dice.roll(3)];
  if (dice.roll(4) == 0) paging.chunks = 1 + dice.roll(3);
  if (dice.roll(3) == 0) paging.emulated_link = testing::link_for_pages_of(paging.page_bytes);
  c.slotted = dice.roll(4) == 0;
  return c;
}

/// Takes up to all but a little of each device.
std::vector<Array<std::byte>> take_some(const Context& ctx, zoo::Dice& dice) {
  std::vector<Array<std::byte>> taken;
  for (const Device& device : ctx.devices()) {
    const auto left = static_cast<std::uint32_t>(device.memory()->available());
    if (dice.roll(3) > 0) taken.emplace_back(dice.roll(left), device.memory());
  }
  return taken;
}

struct Outcomes {
  std::uint64_t answered = 0, did_not_fit = 0;
} outcomes;

/// What an algorithm does there that it must not; empty: it answered, or did not fit.
std::string fault_of(const EveryAlgorithm& algorithm, const Context& ctx, const Graph& graph,
                     const Answer& expected) {
  try {
    const std::string wrong = difference(algorithm, algorithm.run(ctx, graph, nullptr), expected);
    ++outcomes.answered;
    return wrong;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::DoesNotFit) return error.what();
    ++outcomes.did_not_fit;
    return "";
  } catch (const std::exception& error) {
    return error.what();
  }
}

TEST(UnequalDevices, CountTheSameTriangles) {
  zoo::RawGraph raw = zoo::rmat(false);
  Configuration c;
  c.cpu.threads = 2;
  c.residency.paging.page_bytes = 256;
  const Context host = Context::cpu();
  const std::uint64_t expected = count_triangles(host, place(host, {}, raw)).total;
  c.cpu.devices = 2;
  c.cpu.device_memory = std::size_t{40} << 10;  // offsets, and frames for about half of the lists
  c.residency.kind = ResidencyOptions::Kind::Stream;
  std::uint64_t answers = 0;
  for (std::size_t taken = 0; taken < c.cpu.device_memory; taken += 1024) {
    const Context ctx = c.context();
    const Graph graph = place(ctx, c, raw);
    const Array<std::byte> elsewhere(taken, ctx.devices()[1].memory());
    try {
      EXPECT_EQ(count_triangles(ctx, graph).total, expected) << taken << " bytes taken";
      ++answers;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::DoesNotFit) << error.what();
    }
  }
  EXPECT_GT(answers, 8u);
}

TEST(UnequalDevices, HaveOffsetsWhenAllOfThemDo) {
  const zoo::RawGraph raw = zoo::grid();
  Configuration c;
  c.cpu.threads = 2;
  c.cpu.devices = 2;
  c.cpu.device_memory = std::size_t{1} << 20;
  c.residency.kind = ResidencyOptions::Kind::Stream;
  c.residency.paging.page_bytes = 64;
  const Context host = Context::cpu(), ctx = c.context();
  const std::vector<VertexId> from{0};
  const auto expected = testing::to_vector(bfs(host, place(host, {}, raw), from).depth);
  // Neither has room for them when the source is made, then the first, then both.
  std::vector<Array<std::byte>> taken;
  for (const Device& device : ctx.devices())
    taken.emplace_back(c.cpu.device_memory - 8192, device.memory());
  const Graph graph = place(ctx, c, raw);
  graph.out();
  taken.clear();
  taken.emplace_back(ctx.devices()[1].memory()->available() - 512, ctx.devices()[1].memory());
  testing::expect_error(ErrorCode::DoesNotFit, [&] { graph.out().offsets(ctx.devices()[0]); });
  taken.clear();
  EXPECT_EQ(testing::to_vector(bfs(ctx, graph, from).depth), expected);
}

// A second device that is smaller than the first decides how many chunks there are.
TEST(UnequalDevices, SplitVertexStateForTheSmallest) {
  zoo::RawGraph raw{"Broad", 20000, false, zoo::random_edges(20000, 80000, 7), {}};
  Configuration c;
  c.cpu.threads = 2;
  c.cpu.devices = 2;
  c.cpu.device_memory = std::size_t{20000} * 40;
  c.residency.kind = ResidencyOptions::Kind::Stream;
  c.residency.paging.page_bytes = 4096;
  const Context host = Context::cpu();
  const auto expected = testing::to_vector(connected_components(host, place(host, {}, raw)).label);
  std::uint32_t chunks = 0;
  for (const std::size_t left : {20000 * 40, 20000 * 9, 20000 * 5}) {
    const Context ctx = c.context();
    const Array<std::byte> taken(c.cpu.device_memory - left, ctx.devices()[1].memory());
    const ComponentsResult result = connected_components(ctx, place(ctx, c, raw));
    EXPECT_EQ(testing::to_vector(result.label), expected) << left;
    EXPECT_EQ(result.report.chunks > 0, left < 20000 * 12) << left;
    EXPECT_GE(result.report.chunks, chunks) << left;
    chunks = result.report.chunks;
  }
}

RC_GTEST_PROP(UnequalDevicesProperty, EveryAlgorithmAnswersAlikeOrDoesNotFit,
              (std::uint64_t seed)) {
  zoo::Dice dice(seed);
  const zoo::RawGraph raw = with_hubs(seed);
  const Configuration where = random_devices(dice);
  const bool asked_to_split = where.residency.paging.strategy == Strategy::Scalability;
  const Context host = Context::cpu(), ctx = where.context();
  const Graph expected = place(host, {}, raw);
  std::vector<Array<std::byte>> taken;
  std::optional<Graph> graph;
  try {
    if (dice.roll(2) == 0) taken = take_some(ctx, dice);
    graph = place(ctx, where, raw);
    graph->out();
    if (taken.empty()) taken = take_some(ctx, dice);
  } catch (const Error& error) {
    RC_ASSERT(error.code() == ErrorCode::DoesNotFit);
    return;
  }
  for (const EveryAlgorithm& algorithm : every_algorithm()) {
    if (asked_to_split && !algorithm.splits) continue;
    if (dice.roll(3) > 0) continue;  // other ones after each other on one handle
    const Answer answer = algorithm.run(host, expected, nullptr);
    const std::string fault = fault_of(algorithm, ctx, *graph, answer);
    if (!fault.empty()) RC_FAIL(algorithm.name + ": " + fault);
  }
}

TEST(UnequalDevicesProperty, HasSeenAnswersAndRefusals) {
  if (outcomes.answered + outcomes.did_not_fit == 0) GTEST_SKIP() << "no property was run";
  RecordProperty("answered", std::to_string(outcomes.answered));
  std::cout << outcomes.answered << " answers, " << outcomes.did_not_fit << " did not fit\n";
  EXPECT_GT(outcomes.answered, 0u);
  EXPECT_GT(outcomes.did_not_fit, 0u);
}

}  // namespace
}  // namespace fathom
