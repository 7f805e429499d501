// Components of ranks with a device each, which tell each other what they hooked, and the lists of
// devices by which they do.
#include "fathom/algorithms/components/rank_links.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "fathom/algorithms/components/components.hpp"
#include "tests/cpu/ranks/in_ranks.hpp"
#include "tests/reference/components.hpp"

namespace fathom {
namespace {

Context device_of(const std::shared_ptr<ReplicaGroup>& group) {
  CpuOptions options;
  options.threads = 2;
  options.devices = 1;
  options.group = group;
  return Context::cpu(options);
}

/// Whether lists of so many numbers reach all ranks, where there is room for `most`.
bool are_given(const Context& ctx, std::size_t mine, std::size_t most,
               std::vector<std::uint32_t>& taken) {
  const Device& device = ctx.devices()[0];
  const auto rank = static_cast<std::uint32_t>(ctx.group().rank());
  return give_among_ranks(
      ctx, sizeof(std::uint32_t), most,
      [&](void* at, std::size_t room) {
        auto* const list = static_cast<std::uint32_t*>(at);
        ctx.launch(device, [=] { std::fill_n(list, std::min(mine, room), 100 + rank); });
        return mine;
      },
      [&](const void* from, std::size_t count) {
        std::vector<std::uint32_t> its(count);
        ctx.copy(its.data(), from, count * sizeof its[0]);
        taken.insert(taken.end(), its.begin(), its.end());
      });
}

TEST(GiveAmongRanks, ShowsEachTheListsOfTheOthers) {
  for (const int ranks : {2, 3, 5})
    run_thread_ranks(ranks, [&](const std::shared_ptr<ReplicaGroup>& group) {
      const Context ctx = device_of(group);
      const auto size_of = [](int rank) { return static_cast<std::size_t>(3 * rank % 4); };
      std::vector<std::uint32_t> taken, expected;
      EXPECT_TRUE(are_given(ctx, size_of(group->rank()), 3, taken));
      for (int r = 0; r < ranks; ++r)
        if (r != group->rank())
          expected.insert(expected.end(), size_of(r), 100 + static_cast<std::uint32_t>(r));
      EXPECT_EQ(taken, expected);
    });
}

TEST(GiveAmongRanks, ShowsNothingWhereOneHasTooMany) {
  run_thread_ranks(3, [&](const std::shared_ptr<ReplicaGroup>& group) {
    const Context ctx = device_of(group);
    std::vector<std::uint32_t> taken;
    EXPECT_FALSE(are_given(ctx, group->rank() == 1 ? 4 : 2, 3, taken));
    EXPECT_TRUE(taken.empty());
  });
}

TEST(GiveAmongRanks, ShowsNothingWhereOneHasNoMemory) {
  run_thread_ranks(2, [&](const std::shared_ptr<ReplicaGroup>& group) {
    CpuOptions options;
    options.devices = 1;
    options.device_memory = group->rank() == 1 ? 4096 : 1 << 20;
    options.group = group;
    const Context ctx = Context::cpu(options);
    std::vector<std::uint32_t> taken;
    EXPECT_FALSE(are_given(ctx, 1, 10000, taken));
    EXPECT_TRUE(taken.empty());
  });
}

/// The most that a rank with an emulated device sent.
std::uint64_t expect_components(int ranks, const zoo::RawGraph& raw, bool sample) {
  const std::vector<VertexId> expected = reference::components(zoo::to_reference(raw));
  std::vector<std::uint64_t> sent(static_cast<std::size_t>(ranks));
  run_thread_ranks(ranks, [&](const std::shared_ptr<ReplicaGroup>& group) {
    testing::Configuration where = testing::plain_host();
    where.cpu.devices = 1;
    where.cpu.group = group;
    where.residency.kind = ResidencyOptions::Kind::Stream;
    where.residency.paging.page_bytes = 4096;
    const testing::PlacedGraph placed(where, raw);
    const std::uint64_t before = group->traffic().bytes_sent;
    const ComponentsResult its = connected_components(placed.ctx, placed.graph, {.sample = sample});
    sent[static_cast<std::size_t>(group->rank())] = group->traffic().bytes_sent - before;
    EXPECT_EQ(testing::to_vector(its.label), expected);
  });
  return *std::ranges::max_element(sent);
}

TEST(RankLinks, TellHooksOfDevicesWhereFewWereHooked) {
  const zoo::RawGraph raw = zoo::grid(200, 300);
  const std::uint64_t labels = raw.vertices * sizeof(VertexId);
  for (const int ranks : {2, 3}) {
    SCOPED_TRACE(ranks);
    // First neighbours are merged as labels; what is linked then is told by hooks.
    EXPECT_LT(expect_components(ranks, raw, true), 2 * labels);
    EXPECT_GT(expect_components(ranks, raw, false), labels / 2);
  }
}

TEST(RankLinks, FindComponentsOfDevicesWhereManyAreApart) {
  zoo::RawGraph raw;  // paths of 40 vertices, whose ids are a stride apart
  raw.name = "Paths";
  constexpr std::uint32_t kPaths = 50, kLength = 40;
  raw.vertices = kPaths * kLength;
  for (std::uint32_t p = 0; p < kPaths; ++p)
    for (std::uint32_t i = 1; i < kLength; ++i)
      raw.edges.push_back({(i * 7 % kLength) * kPaths + p, ((i - 1) * 7 % kLength) * kPaths + p});
  for (const int ranks : {2, 3, 5})
    for (const bool sample : {true, false}) expect_components(ranks, raw, sample);
}

}  // namespace
}  // namespace fathom
