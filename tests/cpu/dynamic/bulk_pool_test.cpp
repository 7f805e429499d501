// The pool of GPUs, on the host: what it divides lies apart, is as large as it should be, and comes
// back.
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <memory>
#include <vector>

#include "fathom/dynamic/pages/bulk_pool.hpp"
#include "tests/suites/zoo.hpp"

namespace fathom::testing {
namespace {

using dynamic::BulkPlan;
using dynamic::BulkPoolRef;
using dynamic::BulkPoolState;
using dynamic::kPageSizes;

class BulkPool : public ::testing::Test {
 protected:
  BulkPool() {
    for (int k = 0; k < kPageSizes; ++k) {
      page_[static_cast<std::size_t>(k)].resize(1u << 16);
      pool_.page[k] = page_[static_cast<std::size_t>(k)].data();
    }
    pool_.state = &state_;
  }

  /// Hands the pages out; false when some are missing, and nothing has changed then.
  bool take(const std::array<std::uint32_t, kPageSizes>& wanted) {
    const BulkPoolState before = state_;
    pool_.divide(wanted.data(), *plan_);
    EXPECT_EQ(state_.border, before.border);
    EXPECT_EQ(state_.far, before.far);
    if (plan_->missing != 0) return false;
    std::vector<std::pair<std::uint32_t, int>> got;
    for (int k = 0; k < kPageSizes; ++k)
      for (std::uint32_t i = 0; i < wanted[static_cast<std::size_t>(k)]; ++i)
        got.emplace_back(pool_.page_of_number(*plan_, k, i), k);
    pool_.settle(*plan_);
    for (const auto& [page, k] : got) held_.emplace(page, k);
    EXPECT_LE(state_.border, pool_.limit);
    EXPECT_GE(state_.far, pool_.far_limit);
    return true;
  }
  /// Pages that are held and free ones lie apart, and no unit is lost.
  void expect_whole() {
    std::map<std::uint64_t, std::uint64_t> units;  // first: how many
    for (const auto& [page, k] : held_) {
      EXPECT_TRUE(units.emplace(page, std::uint64_t{1} << k).second);
      EXPECT_EQ(page % (k < 3 ? 1u << k : 8u), 0u) << "of 2^" << k << " units";
    }
    for (int k = 0; k < kPageSizes; ++k)
      for (std::uint32_t i = 0; i < state_.free[k]; ++i)
        EXPECT_TRUE(units.emplace(pool_.page[k][i], std::uint64_t{1} << k).second);
    std::uint64_t at = 0;
    for (const auto& [first, n] : units) {
      if (at == state_.border && first != at) at = state_.far;
      ASSERT_EQ(first, at);
      at += n;
    }
    EXPECT_EQ(at, state_.far == end_ ? state_.border : end_);
  }
  /// One in five of those that are held.
  void give_back_some(zoo::Dice& dice) {
    for (auto it = held_.begin(); it != held_.end();) {
      if (dice.roll(5) != 0) {
        ++it;
        continue;
      }
      pool_.free(it->first, std::uint64_t{kDynamicUnit} << it->second);
      it = held_.erase(it);
    }
  }
  /// Memory that is farther away: the last `units` before `end`.
  void add_far(std::uint64_t end, std::uint64_t units) {
    end_ = state_.far = end;
    pool_.far_limit = end - units;
  }
  /// Pages of each size that are held in one of the memories.
  std::array<int, kPageSizes> held(bool far) const {
    std::array<int, kPageSizes> n{};
    for (const auto& [page, k] : held_)
      if ((page >= pool_.far_limit) == far) ++n[static_cast<std::size_t>(k)];
    return n;
  }

  std::array<std::vector<std::uint32_t>, kPageSizes> page_;
  BulkPoolState state_;
  BulkPoolRef pool_{};
  std::uint64_t end_ = 0;
  std::unique_ptr<BulkPlan> plan_ = std::make_unique<BulkPlan>();
  std::multimap<std::uint32_t, int> held_;
};

TEST_F(BulkPool, pages_of_any_batches_lie_apart_and_come_back) {
  pool_.limit = 1u << 14;
  zoo::Dice dice(7);
  int refused = 0, served = 0;
  for (int round = 0; round < 400; ++round) {
    std::array<std::uint32_t, kPageSizes> wanted{};
    for (int n = 0; n < 4; ++n) wanted[dice.roll(9)] = dice.roll(40);
    if (round == 200) pool_.limit *= 2;
    (take(wanted) ? served : refused) += 1;
    expect_whole();
    give_back_some(dice);
    ASSERT_FALSE(HasFailure());
  }
  EXPECT_GT(served, 50);
  EXPECT_GT(refused, 5);
}

TEST_F(BulkPool, pages_of_two_memories_lie_apart_and_come_back) {
  zoo::Dice dice(8);
  for (const int far_from : {0, 4, kPageSizes}) {
    state_ = {};
    held_.clear();
    pool_.limit = 1u << 12;
    pool_.far_from = far_from;
    add_far((1u << 14) + 5, 1u << 12);  // not where every page may end
    int refused = 0, served = 0;
    for (int round = 0; round < 200; ++round) {
      std::array<std::uint32_t, kPageSizes> wanted{};
      for (int n = 0; n < 4; ++n) wanted[dice.roll(9)] = dice.roll(40);
      if (round == 100) pool_.far_limit -= 1u << 11;
      (take(wanted) ? served : refused) += 1;
      expect_whole();
      give_back_some(dice);
      ASSERT_FALSE(HasFailure()) << "round " << round << ", far from " << far_from;
    }
    EXPECT_GT(served, 20);
    EXPECT_GT(refused, 5);
  }
}

TEST_F(BulkPool, large_pages_are_far_and_small_ones_near_as_long_as_there_is_room) {
  pool_.limit = 64;
  pool_.far_from = 3;
  add_far(1024, 128);
  std::array<std::uint32_t, kPageSizes> wanted{};
  wanted[0] = 24;
  wanted[3] = 10;
  wanted[5] = 1;
  ASSERT_TRUE(take(wanted));
  EXPECT_EQ(held(true)[3] + 4 * held(true)[5], 14);
  EXPECT_EQ(held(false)[0], 24);
  expect_whole();
  wanted = {};
  wanted[3] = 6;  // far there is room for two, near for five
  ASSERT_TRUE(take(wanted));
  EXPECT_EQ(held(true)[3] + 4 * held(true)[5], 16);
  expect_whole();
  wanted = {};
  wanted[0] = 8;
  ASSERT_TRUE(take(wanted));
  EXPECT_FALSE(take(wanted));
  pool_.far_limit -= 8;  // small ones go there when there is nothing else
  ASSERT_TRUE(take(wanted));
  EXPECT_EQ(held(true)[0], 8);
  expect_whole();
}

TEST_F(BulkPool, larger_pages_are_cut_before_memory_is_missing) {
  pool_.limit = 64;
  std::array<std::uint32_t, kPageSizes> one{};
  one[6] = 1;
  ASSERT_TRUE(take(one));
  pool_.free(held_.begin()->first, 64 * 16);
  held_.clear();
  std::array<std::uint32_t, kPageSizes> wanted{};
  wanted[2] = 5;
  ASSERT_TRUE(take(wanted));
  expect_whole();
  wanted[2] = 11;
  ASSERT_TRUE(take(wanted));
  expect_whole();
  EXPECT_FALSE(take(wanted));
  EXPECT_GE(plan_->missing, 11u * 64);
  // The smallest page is not there either, until the border may move.
  std::array<std::uint32_t, kPageSizes> smallest{};
  smallest[0] = 1;
  EXPECT_FALSE(take(smallest));
  pool_.limit = 72;
  EXPECT_TRUE(take(smallest));
  EXPECT_TRUE(held_.contains(64u));
}

}  // namespace
}  // namespace fathom::testing
