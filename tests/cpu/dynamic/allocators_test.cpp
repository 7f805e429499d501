// Pages from the managers: growth, refusal and what comes back, alone and under a graph.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "fathom/dynamic/pages/manager_pages.hpp"
#include "fathom/dynamic/pages/stepped_claim.hpp"
#include "tests/suites/dynamic_model.hpp"
#include "tests/suites/expect_error.hpp"
#include "tests/suites/zoo.hpp"

namespace fathom::testing {
namespace {

using dynamic::PageRequest;

template <class Variant>
class ManagerPagesTest : public ::testing::Test {};
using Variants =
    ::testing::Types<memory::SP, memory::SC, memory::VAP, memory::VAC, memory::VLP, memory::VLC>;
TYPED_TEST_SUITE(ManagerPagesTest, Variants);

std::vector<PageRequest> random_requests(zoo::Dice& dice, std::size_t n, unsigned most_shift) {
  std::vector<PageRequest> requests(n);
  for (PageRequest& r : requests)
    if (dice.roll(10) != 0) r.bytes = (std::uint64_t{1} << dice.roll(most_shift)) + dice.roll(9);
  return requests;
}

/// Pages of all are apart from each other and inside `region` bytes.
void expect_apart(const std::vector<PageRequest>& pages, std::uint64_t region) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> range;
  for (const PageRequest& r : pages) {
    if (r.bytes == 0) continue;
    ASSERT_NE(r.page, kNoPage);
    const std::uint64_t at = std::uint64_t{r.page} * kDynamicUnit;
    range.emplace_back(at, at + dynamic::page_bytes_for(r.bytes));
  }
  std::sort(range.begin(), range.end());
  for (std::size_t i = 1; i < range.size(); ++i) ASSERT_LE(range[i - 1].second, range[i].first);
  if (!range.empty()) {
    ASSERT_LE(range.back().second, region);
  }
}

TYPED_TEST(ManagerPagesTest, pages_are_apart_and_come_back) {
  constexpr std::size_t kLimit = std::size_t{1} << 28;
  const auto pool = std::make_shared<MemoryPool>("host memory", kLimit);
  dynamic::ManagerPages<memory::Ouroboros<TypeParam>> store(kLimit, pool);
  zoo::Dice dice(7);
  std::vector<PageRequest> live;
  for (int round = 0; round < 12; ++round) {
    std::vector<PageRequest> more = random_requests(dice, 600, round % 4 == 3 ? 23 : 14);
    if (round % 4 == 3) more.resize(12);
    store.allocate(more, 3);
    live.insert(live.end(), more.begin(), more.end());
    expect_apart(live, kLimit);
    std::size_t used = 0;
    std::uint64_t pages = 0;
    for (const PageRequest& r : live) {
      used += r.bytes == 0 ? 0 : dynamic::page_bytes_for(r.bytes);
      pages += r.bytes == 0 ? 0 : 1;
    }
    EXPECT_EQ(store.statistics().used_bytes, used);
    EXPECT_EQ(store.statistics().pages, pages);
    EXPECT_EQ(store.statistics().reserved_bytes, pool->used());
    EXPECT_GE(store.statistics().reserved_bytes, used);
    const std::size_t half = live.size() / 2;
    store.free(std::span(live).first(half), 3);
    live.erase(live.begin(), live.begin() + static_cast<std::ptrdiff_t>(half));
    EXPECT_TRUE(store.valid());
  }
  EXPECT_GT(store.arenas(), 1u);
  store.free(live, 3);
  EXPECT_EQ(store.statistics().used_bytes, 0u);
  EXPECT_EQ(store.statistics().pages, 0u);
  EXPECT_TRUE(store.valid());
}

TYPED_TEST(ManagerPagesTest, refuses_what_does_not_fit_whole_and_serves_what_does) {
  constexpr std::size_t kLimit = std::size_t{1} << 21;
  const auto pool = std::make_shared<MemoryPool>("host memory", MemoryPool::kUnlimited);
  dynamic::ManagerPages<memory::Ouroboros<TypeParam>> store(kLimit, pool);
  std::vector<PageRequest> some(1000, {100});
  store.allocate(some, 2);
  const auto before = store.statistics();
  for (const std::uint64_t bytes :
       {std::uint64_t{64}, std::uint64_t{4096}, std::uint64_t{3} << 20}) {
    std::vector<PageRequest> many(kLimit / std::min(bytes, std::uint64_t{1} << 20), {bytes});
    expect_error(
        ErrorCode::DoesNotFit, [&] { store.allocate(many, 3); }, "needed");
    for (const PageRequest& r : many) ASSERT_EQ(r.page, kNoPage);
    EXPECT_EQ(store.statistics().used_bytes, before.used_bytes);
    EXPECT_EQ(store.statistics().pages, before.pages);
    EXPECT_LE(store.statistics().reserved_bytes, kLimit);
    EXPECT_TRUE(store.valid());
  }
  std::vector<PageRequest> again(1000, {100});
  store.allocate(again, 2);
  some.insert(some.end(), again.begin(), again.end());
  expect_apart(some, kLimit);
}

TYPED_TEST(ManagerPagesTest, rounds_of_the_same_sizes_do_not_grow_it) {
  const auto pool = std::make_shared<MemoryPool>("host memory", MemoryPool::kUnlimited);
  dynamic::ManagerPages<memory::Ouroboros<TypeParam>> store(std::size_t{1} << 28, pool);
  std::size_t most = 0;
  for (int round = 0; round < 40; ++round) {
    zoo::Dice dice(static_cast<std::uint64_t>(round % 4));
    std::vector<PageRequest> pages = random_requests(dice, 3000, 12);
    store.allocate(pages, 2);
    store.free(pages, 2);
    if (round == 7) most = store.statistics().reserved_bytes;
  }
  EXPECT_EQ(store.statistics().reserved_bytes, most);
}

/// Arenas as on a device: memory is mapped in large steps, and taken back only as a whole.
struct SteppedSite {
  static constexpr std::uint64_t kStep = std::uint64_t{1} << 21;

  dynamic::SteppedClaim claimed;
  std::uint64_t front = 0;
  std::size_t budget = 0;  // that may still be mapped

  std::uint64_t step() const { return claimed.step(); }
  std::uint64_t left() const { return claimed.left(front); }
  std::uint64_t claim(std::uint64_t begin) {
    return claimed.claim(begin, front, [&](std::uint64_t from, std::uint64_t to) {
      EXPECT_EQ(from % kStep, 0u);
      EXPECT_EQ(to, claimed.mapped_from());
      if (to - from > budget) throw Error(ErrorCode::DoesNotFit, "the budget");
      budget -= to - from;
    });
  }
  template <class Manager>
  void reset(const Manager& manager, std::uint64_t usable) const {
    EXPECT_GE(manager.heap().data_end() - usable - manager.heap().base, 0);
    memory::reset_tables(manager.heap(), 0, 1);
    memory::reset_control<Manager>(manager.heap(), 0, usable);
  }
  template <class Manager>
  static void limit(const Manager& manager, std::uint64_t units) {
    memory::Word& limits = manager.heap().control().limits;
    limits.atomic().store(limits.load() >> 32 << 32 | units, Order::Release);
  }
};

TYPED_TEST(ManagerPagesTest, arenas_of_mapped_steps_serve_until_limit_or_budget_are_used_up) {
  using Manager = memory::Ouroboros<TypeParam>;
  constexpr std::uint64_t kRegion = std::uint64_t{1} << 28;
  struct Bounds {
    std::uint64_t limit, budget;
  };
  for (const Bounds& b :
       {Bounds{std::uint64_t{24} << 20, kRegion}, Bounds{kRegion / 2, std::uint64_t{24} << 20},
        Bounds{std::uint64_t{75} << 20, kRegion}, Bounds{kRegion, std::uint64_t{34} << 20},
        Bounds{kRegion, std::uint64_t{70} << 20}}) {
    dynamic::ReservedMemory memory(kRegion, MemoryPool::unlimited());
    dynamic::ArenaStack<Manager> arenas(memory.data(), kRegion);
    SteppedSite site{{kRegion, SteppedSite::kStep, b.limit}, 0, b.budget};
    std::array<dynamic::ArenaTurn, dynamic::kPageSizes> turn{};
    std::vector<PageRequest> pages;
    const auto small = [&] {
      const auto all = arenas.all();
      return dynamic::ArenasRef<Manager>{
          {memory.data(), all.data()}, static_cast<std::uint32_t>(all.size()), turn.data()};
    };
    const auto serve = [&] {
      zoo::Dice dice(3);
      for (std::uint64_t bytes = 0;; bytes = std::uint64_t{16} << dice.roll(10)) {
        if (bytes == 0) continue;
        PageRequest page{bytes};
        while ((page.page = small().allocate(bytes)) == kNoPage) {
          const std::uint64_t units =
              dynamic::units_for([&](std::uint32_t k) { return turn[k].missing; });
          if (!arenas.grow(site, units, 0)) return;
          for (auto& t : turn) t = {static_cast<std::uint32_t>(arenas.all().size()) - 1};
        }
        pages.push_back(page);
      }
    };
    expect_error(ErrorCode::DoesNotFit, serve);
    expect_apart(pages, kRegion);
    std::uint64_t used = 0;
    for (const PageRequest& r : pages) {
      used += r.bytes;
      EXPECT_GE(std::uint64_t{r.page} * kDynamicUnit, site.claimed.from());
    }
    EXPECT_GT(used, std::min(b.limit, b.budget) * 6 / 10);
    EXPECT_LT(std::min<std::uint64_t>(site.budget, site.left()), SteppedSite::kStep);
    EXPECT_LE(kRegion - site.claimed.from(), b.limit);
    EXPECT_GE(site.claimed.from(), arenas.bottom());
    for (const PageRequest& r : pages) small().free(r.page, r.bytes);
    for (const auto& a : arenas.all()) EXPECT_EQ(memory::valid(a.manager), memory::Broken::None);
    for (const auto& a : arenas.all()) EXPECT_EQ(memory::stats(a.manager).bytes_live, 0u);
  }
}

TEST(PageAllocators, have_names_and_the_one_of_gpus_is_refused) {
  for (const PageAllocator a : page_allocators()) EXPECT_EQ(page_allocator(name_of(a)), a);
  EXPECT_EQ(name_of(PageAllocator::VLC), "vl-c");
  expect_error(
      ErrorCode::Usage, [] { page_allocator("malloc"); }, "vl-p");
  const Context ctx = Context::cpu();
  DynamicGraphOptions options;
  options.allocator = PageAllocator::Cuda;
  expect_error(
      ErrorCode::Usage, [&] { DynamicGraph(ctx, options); }, "GPUs");
}

class GraphAllocators : public ::testing::TestWithParam<PageAllocator> {};

TEST_P(GraphAllocators, a_batch_that_does_not_fit_changes_nothing_and_a_hub_fits) {
  const Context ctx = Context::cpu();
  DynamicGraphOptions options;
  options.allocator = GetParam();
  options.memory = std::size_t{8} << 20;
  options.most_vertices = 1u << 20;
  options.in_edges = false;
  DynamicGraph graph(ctx, options);
  std::vector<EdgeUpdate> hub, many;
  for (VertexId v = 1; v < 400000; ++v) hub.push_back(EdgeUpdate::insert(0, v));
  graph.apply({400000, hub, {}});  // a page of 2 MiB
  EXPECT_EQ(graph.memory().page_bytes, std::size_t{2} << 20);
  for (VertexId v = 1; v < 400000; ++v)
    for (VertexId t = 0; t < 3; ++t) many.push_back(EdgeUpdate::insert(v, t));
  expect_error(
      ErrorCode::DoesNotFit,
      [&] {
        graph.apply({0, many, {}});
      },
      "needed");  // 6.4 MB, and 2 MiB
  EXPECT_EQ(graph.memory().page_bytes, std::size_t{2} << 20);
  EXPECT_EQ(graph.edges(), 399999u);
  EXPECT_EQ(graph.apply({0, std::span(many).first(3000), {}}).inserted, 3000u);
  EXPECT_EQ(graph.memory().pages, 1001u);
}

INSTANTIATE_TEST_SUITE_P(Allocators, GraphAllocators,
                         ::testing::ValuesIn(page_allocators().begin(),
                                             page_allocators().end() - 1),
                         [](const auto& param) {
                           std::string name(name_of(param.param));
                           std::erase(name, '-');
                           return name;
                         });

/// What kernels take pages from that change lists themselves: arenas in steps, and a pool for what
/// is larger than 1 MiB.
template <class Manager>
class SingleArenas {
 public:
  explicit SingleArenas(std::uint64_t limit)
      : memory_(kRegion, MemoryPool::unlimited()),
        arenas_(memory_.data(), kRegion),
        site_{{kRegion, SteppedSite::kStep, limit}, kFront, kRegion} {
    memory_.grow_to(kRegion);
    state_.limit = kFront / kDynamicUnit;
  }
  dynamic::LiveArenas<Manager> live() {
    return {{reinterpret_cast<std::uint32_t*>(memory_.data()), &state_},
            {{memory_.data(), arenas_.all().data()}, &turns_}};
  }
  void grow(std::uint64_t units) {
    ASSERT_TRUE(arenas_.grow(site_, units, kFront));
    turns_.grown(static_cast<std::uint32_t>(arenas_.all().size()));
  }
  std::uint64_t held(int k) const { return state_.handed[k] - state_.returned[k]; }
  std::uint32_t& word(std::uint32_t page) {
    return *reinterpret_cast<std::uint32_t*>(memory_.data() + std::size_t{page} * kDynamicUnit);
  }

 private:
  static constexpr std::uint64_t kRegion = std::uint64_t{1} << 28;
  static constexpr std::uint64_t kFront = std::uint64_t{16} << 20;
  dynamic::ReservedMemory memory_;
  dynamic::ArenaStack<Manager> arenas_;
  SteppedSite site_;
  dynamic::LiveArenaState state_;
  dynamic::SingleTurns turns_;
};

/// Pages of a size until there are no more.
template <class Arenas>
std::vector<std::uint32_t> take_all(const Arenas& arenas, std::uint64_t bytes) {
  std::vector<std::uint32_t> pages;
  for (std::uint32_t p; (p = arenas.allocate(bytes)) != kNoPage;) pages.push_back(p);
  return pages;
}

TYPED_TEST(ManagerPagesTest, what_comes_back_while_others_ask_is_found_in_every_arena) {
  SingleArenas<memory::Ouroboros<TypeParam>> arenas(std::uint64_t{80} << 20);
  const auto live = arenas.live();
  EXPECT_EQ(live.allocate(100), kNoPage);
  for (int i = 0; i < 3; ++i) arenas.grow(400);
  const auto all = take_all(live, 512);
  ASSERT_GT(all.size(), 3u * 400 * 14);
  EXPECT_EQ(live.allocate(512), kNoPage);
  EXPECT_EQ(arenas.held(5), all.size());
  for (const std::uint32_t p : all) live.free(p, 512);
  EXPECT_EQ(arenas.held(5), 0u);
  EXPECT_GE(take_all(live, 512).size(), all.size() * 9 / 10);
  const std::uint32_t large = live.allocate(std::uint64_t{3} << 20);
  ASSERT_NE(large, kNoPage);
  EXPECT_LT(large * std::uint64_t{kDynamicUnit}, std::uint64_t{16} << 20) << "not of the pool";
  EXPECT_EQ(arenas.held(18), 1u);
  live.free(large, std::uint64_t{3} << 20);
  EXPECT_EQ(arenas.held(18), 0u);
}

TYPED_TEST(ManagerPagesTest, threads_that_take_and_give_at_once_never_get_the_same_page) {
  SingleArenas<memory::Ouroboros<TypeParam>> arenas(std::uint64_t{80} << 20);
  for (int i = 0; i < 2; ++i) arenas.grow(300);
  std::vector<std::jthread> threads;
  std::atomic<int> overlaps{0}, refused{0};
  for (std::uint32_t t = 0; t < 4; ++t)
    threads.emplace_back([&, t, live = arenas.live()] {
      zoo::Dice dice(t);
      std::vector<std::pair<std::uint32_t, std::uint32_t>> held;
      for (int round = 0; round < 4000; ++round) {
        const std::uint32_t bytes = 16u << dice.roll(10);
        if (const std::uint32_t p = live.allocate(bytes); p != kNoPage) {
          AtomicRef(arenas.word(p)).store(t + 1);
          held.emplace_back(p, bytes);
        } else {
          ++refused;
        }
        if (held.size() < 40) continue;
        std::swap(held[dice.roll(40)], held.back());
        const auto [p, its] = held.back();
        held.pop_back();
        if (AtomicRef(arenas.word(p)).load() != t + 1) ++overlaps;
        live.free(p, its);
      }
      for (const auto& [p, its] : held) live.free(p, its);
    });
  threads.clear();
  EXPECT_EQ(overlaps, 0);
  EXPECT_EQ(refused, 0) << "of 4.9 MB at most 1.3 are held";
  for (int k = 0; k < dynamic::kPageSizes; ++k) EXPECT_EQ(arenas.held(k), 0u);
}

}  // namespace
}  // namespace fathom::testing
