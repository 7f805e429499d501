// The edges at which algorithms 5 to 7, as printed, go wrong; and what a checked build reports.
#include <functional>
#include <set>
#include <stdexcept>
#include <utility>

#include "tests/cpu/memory/variants.hpp"
#include "tests/suites/expect_error.hpp"

namespace fathom::memory {
namespace {

using testing::expect_error;

TEST(MemoryHeap, AnotherUseOfAChunkKeepsWhatOthersCount) {
  const HostHeap<Checked<SP>> owner{HeapOptions{4 * kChunkBytes}};
  const Heap heap = owner.manager().heap();
  heap.change_use(1, make_state(5, ChunkKind::Free, 0, 0));
  heap.state(1).fetch_add(3);  // three lanes whose entries are of before
  heap.change_use(1, make_state(6, ChunkKind::Pages, 4, 2));
  EXPECT_EQ(heap.state(1).load(), make_state(6, ChunkKind::Pages, 4, 5));
  heap.state(1).fetch_add(0 - std::uint64_t{3});
  EXPECT_EQ(heap.state(1).load(), make_state(6, ChunkKind::Pages, 4, 2));
}

/// Ends who goes round in a loop.
struct Impatient : CheckedTraits {
  static void mark(Point) {
    if (++steps > 100000) throw std::runtime_error("waits without end");
  }
  static inline int steps = 0;
};

template <class V>
void find_pages_behind_an_empty_chunk() {
  constexpr std::uint32_t kClass = class_of(128);
  const HostHeap<Ouroboros<V, V, Impatient>> owner(HeapOptions{2 * kChunkBytes});
  const auto m = owner.manager();
  const Heap heap = m.heap();
  void* const whole = m.malloc(kChunkBytes);  // chunk 0
  std::vector<void*> held;
  for (std::uint32_t i = 0; i < pages_of(kClass); ++i) held.push_back(m.malloc(128));  // chunk 1
  m.free(whole);
  held.push_back(m.malloc(128));  // of chunk 0, whose other pages no queue has room for
  ASSERT_EQ(heap.size_class(kClass).cursor.load(), 1u);
  // A lane that has marked a page, which others found and took before it says so.
  LoosePages<Impatient>::add(heap, kClass, 1, generation_of(heap.state(1).load()));
  Impatient::steps = 0;
  ASSERT_NO_THROW(held.push_back(m.malloc(128)));
  EXPECT_NE(held.back(), nullptr);
  for (void* p : held) m.free(p);
  EXPECT_EQ(owner.valid(), Broken::None);
}

TEST(MemoryQueue, AScanComesPastAChunkThatHasNothing) {
  find_pages_behind_an_empty_chunk<VAP>();
  find_pages_behind_an_empty_chunk<VLP>();
}

/// Runs what another thread does meanwhile at the next slot.
struct Meanwhile : CheckedTraits {
  static void mark(Point point) {
    if (point == Point::Slot && then) std::exchange(then, nullptr)();
  }
  static inline std::function<void()> then;
};

TEST(MemoryQueue, TheSecondChunkOfALinkedQueueMayComeBeforeTheFirstIsDone) {
  const HostHeap<Ouroboros<VLP, VLP, Meanwhile>> owner(HeapOptions{4 * kChunkBytes});
  const Heap heap = owner.manager().heap();
  const QueueRef queue = heap.queue(3);
  const auto attach = [&] {
    EXPECT_TRUE(LinkedStorage::attach<Meanwhile>(heap, queue, OneLane{}));
    BulkSemaphore<>(queue.control->room).signal(LinkedStorage::kBatch);
  };
  Meanwhile::then = attach;
  attach();
  EXPECT_FALSE(Meanwhile::then);
  EXPECT_EQ(queue.control->attached.load(), 2u);
  EXPECT_EQ(owner.valid(), Broken::None);
}

void expect_idle(const BulkSemaphore<>& semaphore) {
  const SemaphoreState s = semaphore.state();
  EXPECT_EQ(s.count, 0);
  EXPECT_EQ(s.reserved, 0u);
  EXPECT_EQ(s.expected, 0u);
}

TEST(MemorySemaphore, TheSlowPathMakesNoUnits) {
  SemaphoreWords words;
  const BulkSemaphore<> semaphore(words);
  for (int i = 0; i < 3; ++i) {
    const Grant grant = semaphore.acquire(1, 8);
    EXPECT_EQ(grant.mints, 1u);
    EXPECT_EQ(semaphore.state().expected, 1u);
    EXPECT_EQ(semaphore.state().reserved, 1u);
    semaphore.settle(0, grant.mints, 1);  // minting failed
    expect_idle(semaphore);
  }
}

TEST(MemorySemaphore, GrantsWhatIsThereAndNoMore) {
  SemaphoreWords words;
  const BulkSemaphore<> semaphore(words);
  semaphore.signal(5);
  EXPECT_EQ(semaphore.acquire(3, 8).granted, 3u);
  EXPECT_EQ(semaphore.acquire(3, 8).granted, 2u);
  EXPECT_EQ(semaphore.acquire(3, 0).granted, 0u);
  EXPECT_FALSE(semaphore.try_take(1));
  expect_idle(semaphore);
}

TEST(MemorySemaphore, MintsForAllThatWasAskedFor) {
  SemaphoreWords words[3];
  EXPECT_EQ(BulkSemaphore<>(words[0]).acquire(32, 8).mints, 4u);
  EXPECT_EQ(BulkSemaphore<>(words[1]).acquire(3, 1).mints, 3u);
  EXPECT_EQ(BulkSemaphore<>(words[2]).acquire(20, 512).mints, 1u);
}

TEST(MemorySemaphore, CountsMorePagesThan21BitsHold) {
  SemaphoreWords words;
  const BulkSemaphore<> semaphore(words);
  const auto pages = static_cast<std::uint64_t>(BulkSemaphore<>::kMostCount);
  semaphore.signal(pages);
  const SemaphoreState s = semaphore.state();
  EXPECT_EQ(s.count, BulkSemaphore<>::kMostCount);
  EXPECT_EQ(s.expected + s.reserved, 0u);
  EXPECT_GT(pages * 16, std::uint64_t{1} << 38);
}

TEST(MemorySemaphore, OneMinterServesThoseThatWait) {
  SemaphoreWords words;
  const BulkSemaphore<Disturbed> semaphore(words);
  ASSERT_EQ(semaphore.acquire(1, 8).mints, 1u);
  std::atomic<int> granted = 0;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 5; ++i)
    threads.emplace_back([&] { granted += static_cast<int>(semaphore.acquire(1, 8).granted); });
  while (semaphore.state().reserved < 6) sched_yield();
  EXPECT_EQ(semaphore.state().expected, 1u);
  semaphore.settle(7, 1, 1);
  threads.clear();
  EXPECT_EQ(granted, 5);
  EXPECT_EQ(semaphore.state().count, 2);
  EXPECT_EQ(semaphore.state().reserved, 0u);
}

TEST(MemorySemaphore, OneOfThoseThatWaitMintsWhenTheMinterFails) {
  SemaphoreWords words;
  const BulkSemaphore<Disturbed> semaphore(words);
  ASSERT_EQ(semaphore.acquire(1, 8).mints, 1u);
  std::atomic<int> granted = 0, minted = 0;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 5; ++i)
    threads.emplace_back([&] {
      const Grant grant = semaphore.acquire(1, 8);
      granted += static_cast<int>(grant.granted);
      if (grant.mints == 0) return;
      ++minted;
      semaphore.settle(7, grant.mints, 1);
    });
  while (semaphore.state().reserved < 6) sched_yield();
  semaphore.settle(0, 1, 1);
  threads.clear();
  EXPECT_EQ(granted + minted, 5);
  EXPECT_GE(minted, 1);
  EXPECT_EQ(semaphore.state().count, 8 * minted - 5);
  EXPECT_EQ(semaphore.state().reserved, 0u);
}

TEST(MemoryHeap, AFullQueueLosesNoPages) {
  // One slot per unit holds 64 entries of 4096 pages: the rest stays in its chunks.
  HostHeap<Checked<SP>> heap(HeapOptions{64 * kChunkBytes, 1});
  const auto m = heap.manager();
  for (int round = 0; round < 3; ++round) {
    std::vector<void*> held;
    while (void* p = m.malloc(16)) held.push_back(p);
    EXPECT_EQ(held.size(), 64u * 512u);
    EXPECT_EQ(heap.valid(), Broken::None);
    for (void* p : held) m.free(p);
    EXPECT_EQ(heap.valid(), Broken::None);
  }
}

template <class Manager>
class MemoryEdges : public ::testing::Test {};
TYPED_TEST_SUITE(MemoryEdges, CheckedVariants);

TYPED_TEST(MemoryEdges, DoubleFreesAndForeignPointersAreCountedAndIgnored) {
  HostHeap<TypeParam> heap(HeapOptions{4 << 20});
  const TypeParam m = heap.manager();
  auto* p = static_cast<std::byte*>(m.malloc(64));
  void* q = m.malloc(64);
  int local = 0;
  m.free(&local);
  m.free(p + 16);
  m.free(m.front());
  m.free(p);
  m.free(p);
  const Stats s = heap.stats();
  EXPECT_EQ(s.foreign_frees, 3u);
  EXPECT_EQ(s.double_frees, 1u);
  EXPECT_EQ(s.bytes_live, 64u);
  m.free(q);
  EXPECT_EQ(heap.valid(), Broken::None);
}

TYPED_TEST(MemoryEdges, TheFrontGrowsAgainstTheChunks) {
  HostHeap<TypeParam> heap(HeapOptions{64 * kChunkBytes});
  const TypeParam m = heap.manager();
  ASSERT_TRUE(m.set_front(32 * kChunkBytes));
  std::memset(m.front(), 7, m.front_bytes());
  std::vector<void*> held;
  while (void* p = m.malloc(8192)) {
    EXPECT_GE(static_cast<std::byte*>(p), m.front() + m.front_bytes());
    held.push_back(p);
  }
  EXPECT_EQ(held.size(), 32u);
  EXPECT_FALSE(m.set_front(33 * kChunkBytes));
  ASSERT_TRUE(m.set_front(31 * kChunkBytes));
  EXPECT_NE(m.malloc(8192), nullptr);
  EXPECT_EQ(heap.valid(), Broken::None);
  EXPECT_EQ(m.front()[1000], std::byte{7});
}

TYPED_TEST(MemoryEdges, MemoryMappedLaterIsUsedWithoutMoving) {
  HostHeap<TypeParam> heap(HeapOptions{256 * kChunkBytes}, 16 * kChunkBytes);
  const TypeParam m = heap.manager();
  std::vector<void*> held;
  while (void* p = m.malloc(1024)) held.push_back(p);
  EXPECT_EQ(heap.stats().bytes_reserved, 16 * kChunkBytes);
  const std::size_t before = held.size();
  heap.grow(16 * kChunkBytes);
  while (void* p = m.malloc(1024)) held.push_back(p);
  EXPECT_GE(held.size(), 2 * before);
  for (void* p : held) m.free(p);
  EXPECT_EQ(heap.valid(), Broken::None);
}

TYPED_TEST(MemoryEdges, AResizedHeapKeepsItsPagesByIndex) {
  HostHeap<TypeParam> heap(HeapOptions{512 * kChunkBytes});
  std::vector<std::pair<std::uint64_t, std::uint64_t>> held;  // index, bytes
  const auto write = [&](std::uint64_t i) {
    const std::uint64_t bytes = 16u << i % 10;
    const TypeParam m = heap.manager();
    auto* p = static_cast<std::uint64_t*>(m.malloc(bytes));
    ASSERT_NE(p, nullptr);
    p[0] = i;
    held.emplace_back(m.index_of(p), i);
  };
  const auto check = [&] {
    ASSERT_EQ(heap.valid(), Broken::None);
    for (const auto& [index, i] : held)
      ASSERT_EQ(*static_cast<std::uint64_t*>(heap.manager().pointer_to(index)), i);
  };
  for (std::uint64_t i = 0; i < 1000; ++i) write(i);
  ASSERT_TRUE(heap.manager().set_front(5 * kChunkBytes));
  heap.manager().front()[40000] = std::byte{9};
  for (std::size_t i = 0; i < 500; ++i) {
    heap.manager().free(heap.manager().pointer_to(held.back().first));
    held.pop_back();
  }
  for (const std::uint64_t units : {2000u, 300u, 600u}) {
    heap.resize(units * kChunkBytes);
    check();
    for (std::uint64_t i = 0; i < 100; ++i) write(i + units);
    check();
    EXPECT_EQ(heap.manager().front()[40000], std::byte{9});
  }
  expect_error(
      ErrorCode::DoesNotFit, [&] { heap.resize(8 * kChunkBytes); }, "do not fit");
  check();
  for (const auto& [index, i] : held) heap.manager().free(heap.manager().pointer_to(index));
  EXPECT_EQ(heap.stats().bytes_live, 0u);
  EXPECT_EQ(heap.valid(), Broken::None);
  heap.reset();
  EXPECT_EQ(heap.valid(), Broken::None);
  EXPECT_EQ(heap.stats().bytes_reserved, 0u);
}

TYPED_TEST(MemoryEdges, AResizedHeapUsesNoMoreThanBefore) {
  const auto fill = [](const TypeParam& m) {
    std::uint64_t chunks = 0;
    while (m.malloc(kChunkBytes) != nullptr) ++chunks;
    return chunks;
  };
  HostHeap<TypeParam> heap(HeapOptions{256 * kChunkBytes}, 16 * kChunkBytes);
  ASSERT_NE(heap.manager().malloc(kChunkBytes), nullptr);
  heap.resize(300 * kChunkBytes);
  EXPECT_EQ(fill(heap.manager()), 15u);
  EXPECT_EQ(heap.stats().bytes_reserved, 16 * kChunkBytes);
  heap.grow(4 * kChunkBytes);
  EXPECT_EQ(fill(heap.manager()), 4u);
  EXPECT_EQ(heap.valid(), Broken::None);
  heap.resize(24 * kChunkBytes);
  EXPECT_EQ(fill(heap.manager()), 0u);
  heap.reset();
  EXPECT_EQ(fill(heap.manager()), 20u);

  HostHeap<TypeParam> whole(HeapOptions{16 * kChunkBytes});
  whole.resize(40 * kChunkBytes);
  EXPECT_EQ(fill(whole.manager()), 40u);
  EXPECT_EQ(whole.valid(), Broken::None);
}

TYPED_TEST(MemoryEdges, SeveralHeapsKnowNothingOfEachOther) {
  HostHeap<TypeParam> a(HeapOptions{1 << 20}), b(HeapOptions{1 << 20});
  void* p = a.manager().malloc(100);
  b.manager().free(p);
  EXPECT_EQ(b.stats().foreign_frees, 1u);
  EXPECT_EQ(a.stats().bytes_live, 128u);
}

/// Where the system puts a mapping depends on those before it.
TYPED_TEST(MemoryEdges, PagesAreAlignedToTheirSizeAtMostToAChunkWhereverTheHeapIs) {
  std::vector<HostHeap<TypeParam>> heaps;
  for (std::uint64_t n = 1; n <= 8; ++n) {
    heaps.emplace_back(HeapOptions{(512 + n) * kChunkBytes});
    if (n % 2 == 0) heaps.back().resize((600 + n) * kChunkBytes);
    for (std::uint64_t bytes = 16; bytes <= kMostBytes; bytes *= 2) {
      const void* p = heaps.back().manager().malloc(bytes);
      ASSERT_NE(p, nullptr) << bytes;
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(p) % std::min(bytes, kChunkBytes), 0u) << bytes;
    }
  }
}

TEST(MemoryHeap, ARegionWithoutAChunkIsRefused) {
  expect_error(
      ErrorCode::Usage, [] { HostHeap<Checked<SP>>(HeapOptions{100}); }, "8192");
}

}  // namespace
}  // namespace fathom::memory
