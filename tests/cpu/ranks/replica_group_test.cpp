#include "fathom/exec/ranks/replica_group.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <numeric>

#include "fathom/core/error.hpp"
#include "fathom/exec/context.hpp"
#include "fathom/exec/frontier.hpp"
#include "fathom/exec/ranks/tell_each.hpp"
#include "fathom/exec/ranks/thread_ranks.hpp"
#include "fathom/exec/vertex_array.hpp"
#include "fathom/residency/rank_share.hpp"
#include "tests/suites/expect_error.hpp"

namespace fathom {
namespace {

using Group = std::shared_ptr<ReplicaGroup>;

const std::shared_ptr<MemoryPool>& pool() {
  static const auto all = std::make_shared<MemoryPool>("test", MemoryPool::kUnlimited);
  return all;
}

class Ranks : public ::testing::TestWithParam<int> {
 protected:
  void run(FunctionRef<void(const Group&)> body) const { run_thread_ranks(GetParam(), body); }
  int ranks() const { return GetParam(); }
};

TEST_P(Ranks, GatherWhatEachHas) {
  run([&](const Group& group) {
    const std::uint32_t mine = 100 + static_cast<std::uint32_t>(group->rank());
    std::vector<std::uint32_t> all(static_cast<std::size_t>(ranks()));
    group->all_gather(&mine, sizeof mine, all.data());
    for (std::size_t r = 0; r < all.size(); ++r) EXPECT_EQ(all[r], 100 + r);
  });
}

TEST_P(Ranks, GatherPiecesThatDifferInSize) {
  run([&](const Group& group) {
    // Rank r has r bytes of value r: the first none at all.
    const std::vector<std::byte> mine(static_cast<std::size_t>(group->rank()),
                                      static_cast<std::byte>(group->rank()));
    const Pieces pieces = group->all_gather(std::span<const std::byte>(mine), pool());
    for (int r = 0; r < ranks(); ++r) {
      EXPECT_EQ(pieces.of(r).size(), static_cast<std::size_t>(r));
      for (const std::byte b : pieces.of(r)) EXPECT_EQ(b, static_cast<std::byte>(r));
    }
  });
}

TEST_P(Ranks, ShareWhatEachHasWritten) {
  run([&](const Group& group) {
    // Rank r's are the r + 1 elements from 10 r on, but the second rank has none: places between
    // them stay what they are.
    struct Element {
      std::uint32_t rank = 77, place = 77;
      bool operator==(const Element&) const = default;
    };
    std::vector<Element> values(static_cast<std::size_t>(10 * ranks())), expected = values;
    std::vector<ReplicaGroup::Place> own;
    for (std::uint32_t r = 0; r < static_cast<std::uint32_t>(ranks()); ++r) {
      own.push_back({10 * r, r == 1 ? 10 * r : 11 * r + 1});
      for (std::size_t at = own.back().first; at < own.back().last; ++at) {
        expected[at] = {r, static_cast<std::uint32_t>(at)};
        if (group->rank() == static_cast<int>(r)) values[at] = expected[at];
      }
    }
    const std::uint64_t before = group->traffic().bytes_sent;
    group->share(values.data(), sizeof(Element), own);
    EXPECT_EQ(values, expected);
    const auto [first, last] = own[static_cast<std::size_t>(group->rank())];
    EXPECT_EQ(group->traffic().bytes_sent - before,
              (last - first) * sizeof(Element) * static_cast<std::size_t>(ranks() - 1));
  });
}

TEST_P(Ranks, TellEachOtherRankSomethingElse) {
  run([&](const Group& group) {
    // Rank r tells rank t r + 2 t bytes of value t, with a note to all: some tell nothing.
    const auto bytes = [](int r, int t) { return static_cast<std::size_t>((r + 2 * t) % 5); };
    std::vector<std::vector<std::byte>> told;
    for (int t = 0; t < ranks(); ++t)
      told.emplace_back(bytes(group->rank(), t), static_cast<std::byte>(t));
    const std::vector<std::span<const std::byte>> messages(told.begin(), told.end());
    std::vector<std::size_t> came(static_cast<std::size_t>(ranks()), 0);
    const std::vector<int> notes = tell_each<std::uint32_t>(
        *group, 10 * group->rank(), messages, [&](int from, std::span<const std::byte> its) {
          came[static_cast<std::size_t>(from)] = its.size();
          for (const std::byte b : its) EXPECT_EQ(b, static_cast<std::byte>(group->rank()));
        });
    for (int r = 0; r < ranks(); ++r) {
      EXPECT_EQ(notes[static_cast<std::size_t>(r)], 10 * r);
      EXPECT_EQ(came[static_cast<std::size_t>(r)],
                r == group->rank() ? 0 : bytes(r, group->rank()));
    }
  });
}

TEST_P(Ranks, ReduceByEachRule) {
  run([&](const Group& group) {
    const auto r = static_cast<std::uint32_t>(group->rank());
    std::vector<std::uint32_t> least{r + 5, 9 - r};
    group->all_reduce(least.data(), 2, ScalarKind::Uint32, MergeRule::Min);
    EXPECT_EQ(least, (std::vector<std::uint32_t>{5, 9 - static_cast<std::uint32_t>(ranks() - 1)}));
    std::vector<std::uint64_t> bits{std::uint64_t{1} << r};
    group->all_reduce(bits.data(), 1, ScalarKind::Uint64, MergeRule::Or);
    EXPECT_EQ(bits[0], (std::uint64_t{1} << ranks()) - 1);
    std::vector<double> sum{0.5, r + 1.0};
    group->all_reduce(sum.data(), 2, ScalarKind::Double, MergeRule::Sum);
    EXPECT_EQ(sum, (std::vector<double>{0.5 * ranks(), ranks() * (ranks() + 1) / 2.0}));
  });
}

TEST_P(Ranks, JoinByARuleOfTheCallers) {
  run([&](const Group& group) {
    struct Pair {
      std::uint16_t most, count;
    };
    std::vector<Pair> values{{static_cast<std::uint16_t>(group->rank()), 1}, {7, 2}};
    group->join(
        values.data(), values.size(), sizeof(Pair),
        [](void* into, const void* from, std::size_t n) {
          auto* const to = static_cast<Pair*>(into);
          const auto* const its = static_cast<const Pair*>(from);
          for (std::size_t i = 0; i < n; ++i)
            to[i] = {std::max(to[i].most, its[i].most),
                     static_cast<std::uint16_t>(to[i].count + its[i].count)};
        },
        pool());
    EXPECT_EQ(values[0].most, ranks() - 1);
    EXPECT_EQ(values[0].count, ranks());
    EXPECT_EQ(values[1].count, 2 * ranks());
  });
}

TEST_P(Ranks, ExchangeInARing) {
  run([&](const Group& group) {
    const int mine = group->rank(), next = (mine + 1) % ranks(),
              before = (mine + ranks() - 1) % ranks();
    int got = -1;
    if (ranks() == 1) return;
    group->exchange(std::as_bytes(std::span(&mine, 1)), next,
                    std::as_writable_bytes(std::span(&got, 1)), before);
    EXPECT_EQ(got, before);
  });
}

TEST_P(Ranks, UniteFrontiersThatAreFullAndThatHaveFewVertices) {
  run([&](const Group& group) {
    CpuOptions options;
    options.threads = 1;
    options.group = group;
    const Context ctx = Context::cpu(options);
    const Device& device = ctx.devices()[0];
    constexpr VertexId kVertices = 1000;
    for (const VertexId each : {1u, 300u}) {  // told by id, and as bits
      Frontier frontier(ctx, kVertices);
      frontier.begin_bitmap();
      const auto first = static_cast<VertexId>(group->rank()) * 100;  // overlapping with others'
      for (VertexId v = first; v < first + each; ++v)
        frontier.bits(device)[v / 64] |= std::uint64_t{1} << v % 64;
      frontier.end_bitmap();
      std::vector<std::size_t> expected, found;
      for (VertexId v = 0; v < kVertices; ++v)
        for (int r = 0; r < ranks(); ++r)
          if (v >= static_cast<VertexId>(r) * 100 && v < static_cast<VertexId>(r) * 100 + each) {
            expected.push_back(v);
            break;
          }
      frontier.for_each_on_host([&](std::size_t v) { found.push_back(v); });
      EXPECT_EQ(found, expected);
      EXPECT_EQ(frontier.size(), expected.size());
    }
  });
}

TEST_P(Ranks, UniteListsInMemoryOfTheHostAndOfADevice) {
  run([&](const Group& group) {
    constexpr VertexId kVertices = 100'000;
    for (const int devices : {0, 1})
      for (const VertexId each : {0u, 5u, 500u, 5000u}) {  // told by id, those few sorted; as bits
        CpuOptions options;
        options.threads = 1;
        options.devices = devices;
        options.group = group;
        const Context ctx = Context::cpu(options);
        Frontier frontier(ctx, kVertices);
        ASSERT_TRUE(frontier.can_list());
        VertexId* const list = frontier.begin_list();
        const VertexId first = static_cast<VertexId>(group->rank()) * (each / 2);  // overlapping
        ctx.launch(ctx.devices()[0], [&] { std::iota(list, list + each, first); });
        frontier.end_list(each);
        std::vector<std::size_t> expected(
            each == 0 ? 0 : each + static_cast<std::size_t>(ranks() - 1) * (each / 2));
        std::iota(expected.begin(), expected.end(), std::size_t{0});
        std::vector<std::size_t> found;
        frontier.for_each_on_host([&](std::size_t v) { found.push_back(v); });
        std::sort(found.begin(), found.end());
        EXPECT_EQ(found, expected) << devices << " " << each;
        EXPECT_EQ(frontier.size(), expected.size());
      }
  });
}

TEST_P(Ranks, MergeArraysWholeAndWhereTheyWereTouched) {
  run([&](const Group& group) {
    for (const int devices : {0, 2}) {
      CpuOptions options;
      options.threads = 2;
      options.devices = devices;
      options.group = group;
      const Context ctx = Context::cpu(options);
      const auto replicas = static_cast<std::uint32_t>(ctx.replicas());
      VertexArray<std::uint32_t, MergeSum> sum(ctx, 200, 0);
      const auto add_one = [&](std::size_t v) {
        for (const Device& device : ctx.devices())
          ctx.launch(device, [&] { sum.on(device)[v] += 1; });
      };
      for (std::size_t v = 0; v < 200; ++v) add_one(v);
      sum.merge();
      EXPECT_EQ(sum.get(0), replicas);
      EXPECT_EQ(sum.get(199), replicas);
      // Only those that were touched: others would be added up again.
      Frontier touched(ctx, 200);
      const std::vector<VertexId> some{3, 64, 199};
      touched.assign(some);
      for (const VertexId v : some) add_one(v);
      sum.merge(&touched);
      EXPECT_EQ(sum.get(2), replicas);
      for (const VertexId v : some) EXPECT_EQ(sum.get(v), (replicas + 1) * replicas);
    }
  });
}

TEST_P(Ranks, ShareEdgesEvenlyAndLeaveNoneOut) {
  // A hub in the middle, and vertices without edges at both ends.
  std::vector<EdgeId> offset{0, 0, 0, 10, 20, 520, 530, 540, 540};
  std::mutex mutex;
  std::vector<std::pair<VertexId, VertexId>> ranges(static_cast<std::size_t>(ranks()));
  run([&](const Group& group) {
    CpuOptions options;
    options.group = group;
    const Context ctx = Context::cpu(options);
    const VertexRange mine = share_of_rank(ctx, offset.data(), 8);
    const std::scoped_lock lock(mutex);
    ranges[static_cast<std::size_t>(group->rank())] = {mine.first, mine.last};
  });
  VertexId next = 0;
  for (const auto& [first, last] : ranges) {
    EXPECT_EQ(first, next);
    next = last;
  }
  EXPECT_EQ(next, 8);
}

TEST_P(Ranks, EndWhenOneFails) {
  if (ranks() == 1) return;
  const auto fail_on_the_last = [&] {
    run([&](const Group& group) {
      if (group->rank() == ranks() - 1) throw Error(ErrorCode::BadInput, "of the last");
      int mine = 0;
      std::vector<int> all(static_cast<std::size_t>(ranks()));
      for (;;) group->all_gather(&mine, sizeof mine, all.data());
    });
  };
  testing::expect_error(ErrorCode::BadInput, fail_on_the_last, "of the last");
}

TEST_P(Ranks, AreToldWhenTheyDoNotAgree) {
  if (ranks() == 1) return;
  const auto disagree = [&] {
    run([&](const Group& group) {
      std::vector<std::uint32_t> values(group->rank() == 0 ? 1 : 2);
      group->all_reduce(values.data(), values.size(), ScalarKind::Uint32, MergeRule::Sum);
    });
  };
  testing::expect_error(ErrorCode::Internal, disagree, "where rank 0 calls");
}

INSTANTIATE_TEST_SUITE_P(Threads, Ranks, ::testing::Values(1, 2, 3, 5));

}  // namespace
}  // namespace fathom
