// Caches that share what a device has to spare: who gives way, who gets how much, and that mixed
// runs find their caches and stay inside the budget.
#include "fathom/residency/spare_memory.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "fathom/core/array.hpp"
#include "fathom/core/random.hpp"
#include "tests/suites/expect_error.hpp"

namespace fathom {
namespace {

using testing::expect_error;

/// Copies of something: as much as it is given, up to `all`.
class FakeCache {
 public:
  FakeCache(std::shared_ptr<MemoryPool> pool, std::size_t all) : pool_(std::move(pool)), all_(all) {
    handle_ = spare().enlist({[this] {
                                ++asked;
                                memory_ = {};
                              },
                              [this] { return memory_.size(); },
                              [this](std::size_t bytes) { fill(bytes); }});
  }
  ~FakeCache() { spare().leave(handle_); }
  FakeCache(const FakeCache&) = delete;
  FakeCache& operator=(const FakeCache&) = delete;

  void fill(std::size_t bytes) {
    memory_ = {};
    if (bytes > 0) memory_ = Array<std::byte>(std::min(bytes, all_), pool_);
  }
  std::size_t bytes() const { return memory_.size(); }
  std::size_t all() const { return all_; }
  int handle() const { return handle_; }
  int asked = 0;

 private:
  SpareMemory& spare() { return SpareMemory::of(*pool_); }

  std::shared_ptr<MemoryPool> pool_;
  std::size_t all_;
  Array<std::byte> memory_;
  int handle_ = 0;
};

class SpareCaches : public ::testing::Test {
 protected:
  SpareMemory& spare() { return SpareMemory::of(*pool_); }
  std::shared_ptr<MemoryPool> pool_ = std::make_shared<MemoryPool>("a pool", 1000);
};

TEST_F(SpareCaches, GiveWayFromTheOneUsedLongestAgoAndNoMoreThanNeeded) {
  FakeCache a(pool_, 300), b(pool_, 300), c(pool_, 300);
  for (FakeCache* its : {&a, &b, &c}) its->fill(300);
  spare().use(a.handle());  // b, c, a
  const Array<std::byte> first(200, pool_);
  EXPECT_EQ(b.bytes(), 0u);
  EXPECT_EQ(c.asked + a.asked, 0);
  spare().use(c.handle());  // a, c
  const Array<std::byte> second(500, pool_);
  EXPECT_EQ(a.bytes(), 0u);
  EXPECT_EQ(c.bytes(), 300u);
}

TEST_F(SpareCaches, DoNotGiveWayWhileHeld) {
  FakeCache a(pool_, 400), b(pool_, 400);
  a.fill(400);
  b.fill(400);
  auto held = spare().hold(a.handle());
  auto again = spare().hold(a.handle());
  EXPECT_EQ(spare().obtainable(), 600u);
  expect_error(ErrorCode::DoesNotFit, [&] { const Array<std::byte> all(601, pool_); });
  EXPECT_EQ(a.asked, 0);
  EXPECT_EQ(b.bytes(), 0u);
  held.reset();
  expect_error(ErrorCode::DoesNotFit, [&] { const Array<std::byte> all(601, pool_); });
  again.reset();
  const Array<std::byte> all(1000, pool_);
  EXPECT_EQ(a.bytes(), 0u);
}

TEST_F(SpareCaches, HeldForARunGiveWayWhenTheOutermostEnds) {
  FakeCache a(pool_, 400);
  a.fill(400);
  spare().begin_run(0);
  spare().begin_run(0);
  spare().hold_for_run(a.handle());
  spare().hold_for_run(a.handle());
  spare().end_run();
  expect_error(ErrorCode::DoesNotFit, [&] { const Array<std::byte> all(601, pool_); });
  spare().end_run();
  const Array<std::byte> all(1000, pool_);
}

TEST_F(SpareCaches, MayLeaveWhileHeld) {
  std::shared_ptr<const void> held;
  {
    FakeCache a(pool_, 400);
    a.fill(400);
    held = spare().hold(a.handle());
  }
  held.reset();
  EXPECT_EQ(spare().obtainable(), 1000u);
}

TEST_F(SpareCaches, EndWithTheirPool) {
  const SpareMemory* const first = &spare();
  EXPECT_EQ(first, &spare());
  for (int i = 0; i < 10; ++i) {
    pool_ = std::make_shared<MemoryPool>("another pool", 500);
    EXPECT_EQ(spare().obtainable(), 500u);
  }
}

TEST(SpareDivision, GivesTheMostReadFirstAndEqualOnesInProportion) {
  using Shares = std::vector<std::size_t>;
  const auto divide = [](std::size_t room, std::vector<CacheWant> wants) {
    return divide_spare(room, wants);
  };
  EXPECT_EQ(divide(100, {}), Shares{});
  EXPECT_EQ(divide(100, {{300}}), Shares{100});
  EXPECT_EQ(divide(1000, {{300}}), Shares{300});
  EXPECT_EQ(divide(100, {{300}, {100}}), (Shares{75, 25}));
  EXPECT_EQ(divide(100, {{300, 1}, {80, 2}}), (Shares{20, 80}));
  EXPECT_EQ(divide(0, {{300, 1}, {80, 2}}), (Shares{0, 0}));
  const RandomStream random(3, 0);
  for (std::uint64_t i = 0; i < 2000; ++i) {
    std::vector<CacheWant> wants;
    for (std::uint64_t k = 0; k < 1 + i % 5; ++k)
      wants.push_back({static_cast<std::size_t>(random.at(i * 16 + 2 * k) >> (16 + i % 40)),
                       static_cast<double>(1 + random.at(i * 16 + 2 * k + 1) % 3)});
    const std::size_t room = static_cast<std::size_t>(random.at(i * 16 + 15) >> (16 + i % 45));
    const Shares share = divide_spare(room, wants);
    std::size_t left = room;
    for (std::size_t k = 0; k < wants.size(); ++k) {
      ASSERT_LE(share[k], wants[k].useful);
      ASSERT_LE(share[k], left);
      left -= share[k];
      for (std::size_t j = 0; j < wants.size(); ++j) {
        // Nothing but what rounds down goes to a cache while one that is read more lacks any.
        if (wants[j].reads > wants[k].reads && share[k] > 8) {
          ASSERT_GE(share[j] + 8, wants[j].useful);
        }
      }
    }
  }
}

/// Two graphs on one device, each with copies of its out-lists, in-lists and weighted lists, and
/// hints; algorithms that read some of them, in any order.
struct FakeGraph {
  explicit FakeGraph(const std::shared_ptr<MemoryPool>& pool, std::size_t scale)
      : out(pool, 40 * scale),
        in(pool, 40 * scale),
        weighted(pool, 80 * scale),
        hints(pool, scale) {}
  FakeCache out, in, weighted, hints;
};

struct FakeRun {
  const char* name;
  std::size_t state;
  std::vector<std::pair<FakeCache FakeGraph::*, double>> reads;
  bool hints;
};

TEST_F(SpareCaches, MixedRunsFindTheirCachesAndStayInsideTheBudget) {
  constexpr std::size_t kLimit = 10000, kFixed = 800;
  pool_ = std::make_shared<MemoryPool>("a device", kLimit);
  const Array<std::byte> offsets(kFixed, pool_);
  FakeGraph one(pool_, 100), two(pool_, 150);
  const std::vector<FakeRun> runs = {
      {"bfs", 300, {{&FakeGraph::in, 2}, {&FakeGraph::out, 1}}, true},
      {"sssp", 300, {{&FakeGraph::weighted, 1}}, false},
      {"bc", 4000, {{&FakeGraph::in, 2}, {&FakeGraph::out, 1}}, false},
      {"pagerank", 1500, {{&FakeGraph::in, 1}}, false},
      {"radius", 9000, {{&FakeGraph::in, 1}}, false},
      {"kcore", 1000, {{&FakeGraph::in, 1}, {&FakeGraph::out, 1}}, false}};
  const RandomStream random(11, 0);
  for (std::uint64_t round = 0; round < 400; ++round) {
    const FakeRun& run = runs[random.at(3 * round) % runs.size()];
    FakeGraph& graph = random.at(3 * round + 1) % 2 == 0 ? one : two;
    SCOPED_TRACE(std::string(run.name) + " in round " + std::to_string(round));
    spare().begin_run(run.state);
    bool hinted = false;
    if (run.hints && spare().room() >= graph.hints.all()) {
      if (graph.hints.bytes() == 0) graph.hints.fill(graph.hints.all());
      spare().hold_for_run(graph.hints.handle());
      hinted = true;
    }
    for (const auto& [cache, reads] : run.reads) {
      spare().expect(reads);
      spare().want((graph.*cache).handle(), (graph.*cache).all());
    }
    spare().fill();
    // As if there were no other graph, and no run before this one.
    const std::size_t room = kLimit - kFixed - run.state - (hinted ? graph.hints.all() : 0);
    std::vector<CacheWant> wants;
    for (const auto& [cache, reads] : run.reads) wants.push_back({(graph.*cache).all(), reads});
    const std::vector<std::size_t> share = divide_spare(room, wants);
    // State comes in pieces; a kernel's view of the caches is held now and then.
    std::vector<Array<std::byte>> state;
    for (std::size_t left = run.state; left > 0;) {
      const std::size_t piece = std::min<std::size_t>(left, 1 + random.at(3 * round + 2) % 400);
      const auto held = spare().hold((graph.*run.reads[0].first).handle());
      state.emplace_back(piece, pool_);
      left -= piece;
    }
    for (std::size_t i = 0; i < share.size(); ++i)
      EXPECT_EQ((graph.*run.reads[i].first).bytes(), share[i]);
    EXPECT_TRUE(!hinted || graph.hints.bytes() == graph.hints.all());
    ASSERT_LE(pool_->peak(), kLimit);
    spare().end_run();
  }
}

TEST_F(SpareCaches, GiveWayAsAModelDoesInRandomInterleavings) {
  const RandomStream random(7, 0);
  std::uint64_t at = 0;
  const auto draw = [&](std::uint64_t below) { return bounded(random.at(at++), below); };
  std::vector<std::unique_ptr<FakeCache>> cache;
  for (int i = 0; i < 6; ++i) cache.push_back(std::make_unique<FakeCache>(pool_, 400));
  std::vector<std::shared_ptr<const void>> held(cache.size());
  std::vector<std::uint64_t> used(cache.size(), 0);
  std::uint64_t clock = 0;
  for (std::uint64_t& its : used) its = ++clock;
  std::vector<Array<std::byte>> state;
  int evictions = 0, refused = 0;
  for (int round = 0; round < 5000; ++round) {
    const std::size_t i = draw(cache.size());
    switch (draw(5)) {
      case 0:
        held[i] = held[i] ? nullptr : spare().hold(cache[i]->handle());
        if (held[i]) used[i] = ++clock;
        break;
      case 1:
        spare().use(cache[i]->handle());
        used[i] = ++clock;
        break;
      case 2:
        if (cache[i]->bytes() == 0)
          cache[i]->fill(std::min<std::size_t>(draw(400), pool_->available()));
        break;
      case 3:
        if (!state.empty()) {
          std::swap(state[draw(state.size())], state.back());
          state.pop_back();
        }
        break;
      default: {
        const std::size_t bytes = 1 + draw(300);
        std::vector<std::size_t> order, expected;
        for (std::size_t c = 0; c < cache.size(); ++c)
          if (!held[c]) order.push_back(c);
        std::sort(order.begin(), order.end(),
                  [&](std::size_t a, std::size_t b) { return used[a] < used[b]; });
        for (const auto& c : cache) expected.push_back(c->bytes());
        std::size_t room = pool_->available();
        for (std::size_t k = 0; k < order.size() && room < bytes; ++k) {
          room += std::exchange(expected[order[k]], 0);
          ++evictions;
        }
        EXPECT_EQ(bytes <= spare().obtainable(), room >= bytes);
        try {
          state.emplace_back(bytes, pool_);
          EXPECT_GE(room, bytes);
        } catch (const Error&) {
          EXPECT_LT(room, bytes);
          ++refused;
        }
        for (std::size_t c = 0; c < cache.size(); ++c) ASSERT_EQ(cache[c]->bytes(), expected[c]);
      }
    }
    ASSERT_LE(pool_->used(), pool_->limit());
  }
  EXPECT_GT(evictions, 100);
  EXPECT_GT(refused, 10);
}

}  // namespace
}  // namespace fathom
