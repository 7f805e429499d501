// The edges at which algorithms 5 to 7, as printed, go wrong; and what a checked build reports.
#include <atomic>
#include <chrono>
#include <functional>
#include <set>
#include <stdexcept>
#include <thread>
#include <utility>

#include "tests/cpu/memory/variants.hpp"
#include "tests/suites/expect_error.hpp"
#include "tests/suites/thread_lanes.hpp"

namespace fathom::memory {
namespace {

using testing::expect_error;

/// A heap whose queue of idle chunks, an array queue, stands for any.
struct RingFixture {
  HostHeap<Checked<SP>> owner{HeapOptions{64 * kChunkBytes}};
  Heap heap = owner.manager().heap();
  QueueRef queue = heap.idle(0);
  using Queue = IndexQueue<ArrayStorage, Disturbed>;

  bool put(std::uint64_t value) const {
    return Queue::enqueue(heap, queue, OneLane{}, true, value);
  }
  bool get(std::uint64_t& value) const {
    return Queue::dequeue(heap, queue, OneLane{}, true, value);
  }
};

TEST(MemoryQueue, TakesExactlyItsCapacity) {
  const RingFixture f;
  for (std::uint64_t i = 0; i < f.queue.capacity; ++i) ASSERT_TRUE(f.put(i));
  EXPECT_FALSE(f.put(99));
  std::uint64_t value = 0;
  for (std::uint64_t i = 0; i < f.queue.capacity; ++i) {
    ASSERT_TRUE(f.get(value));
    EXPECT_EQ(value, i);
  }
  EXPECT_FALSE(f.get(value));
  EXPECT_TRUE(f.put(7));
}

TEST(MemoryQueue, ARunIsPlacedAsFarAsThereIsRoom) {
  const RingFixture f;
  const auto capacity = static_cast<std::uint32_t>(f.queue.capacity);
  std::uint64_t next = 0, due = 0;
  const auto put_run = [&](std::uint32_t n) {
    const std::uint32_t placed = RingFixture::Queue::enqueue_run(
        f.heap, f.queue, OneLane{}, n, [&](std::uint32_t i) { return next + i; });
    next += placed;
    return placed;
  };
  const auto drain = [&] {
    for (std::uint64_t value = 0; f.get(value); ++due) ASSERT_EQ(value, due);
    EXPECT_EQ(due, next);
  };
  EXPECT_EQ(put_run(0), 0u);
  for (std::uint32_t n = 1; n <= capacity; ++n) {  // most of them over the end of the ring
    ASSERT_EQ(put_run(n), n);
    drain();
  }
  EXPECT_EQ(put_run(capacity - 3), capacity - 3);
  EXPECT_EQ(put_run(capacity), 3u);
  EXPECT_EQ(put_run(1), 0u);
  drain();
  EXPECT_EQ(put_run(1), 1u);
}

/// Of a queue whose slots lie on chunks: runs over their borders, and more than there is memory
/// for.
template <class V>
void runs_over_chunks(std::uint32_t lanes) {
  const HostHeap<Checked<V>> owner{HeapOptions{6 * kChunkBytes}};
  const Heap heap = owner.manager().heap();
  const QueueRef queue = heap.queue(0);
  using Queue = IndexQueue<typename V::Storage, CheckedTraits>;
  constexpr std::uint32_t kRun = 500;
  std::uint64_t next = 0, due = 0;
  const auto put_run = [&] {
    std::uint32_t placed = 0;
    testing::LaneTeam(lanes).run([&](const auto& lane) {
      const std::uint32_t had =
          Queue::enqueue_run(heap, queue, lane, kRun, [&](std::uint32_t i) { return next + i; });
      if (lane.rank() == 0) placed = had;
    });
    next += placed;
    return placed;
  };
  const auto drain = [&] {
    std::uint64_t value = 0;
    for (; Queue::dequeue(heap, queue, OneLane{}, true, value); ++due) ASSERT_EQ(value, due);
    EXPECT_EQ(due, next);
  };
  for (int round = 0; round < 20; ++round) {
    for (int i = 0; i < 5; ++i) ASSERT_EQ(put_run(), kRun);
    drain();
  }
  while (put_run() == kRun) {
  }
  EXPECT_GT(next - due, 4 * kSlotsPerChunk);  // what six chunks hold but for the ends
  drain();
  EXPECT_EQ(put_run(), kRun);
}

TEST(MemoryQueue, RunsGoOverTheBordersOfChunks) {
  for (const std::uint32_t lanes : {1u, 4u}) {
    runs_over_chunks<VAP>(lanes);
    runs_over_chunks<VLP>(lanes);
  }
}

/// Lanes that are late after they have got their positions.
struct Late : CheckedTraits {
  static void mark(Point point) {
    if (!is_late || point != Point::Ticket) return;
    is_late = false;
    ++arrived;
    while (!go) sched_yield();
  }
  static inline thread_local bool is_late = false;
  static inline std::atomic<bool> go{false};
  static inline std::atomic<int> arrived{0};
};

/// A run of as many slots as the first chunk has left; the lanes that write none of them go on when
/// the chunk has left.
template <class V>
void run_to_the_end_of_a_chunk() {
  using Queue = IndexQueue<typename V::Storage, Late>;
  const HostHeap<Ouroboros<V, V, Late>> owner{HeapOptions{64 * kChunkBytes}};
  const Heap heap = owner.manager().heap();
  const QueueRef queue = heap.queue(0);
  std::uint64_t value = 0;
  for (std::uint32_t i = 0; i < kSlotsPerChunk - 2; ++i) {
    ASSERT_TRUE(Queue::enqueue(heap, queue, OneLane{}, true, 7));
    ASSERT_TRUE(Queue::dequeue(heap, queue, OneLane{}, true, value));
  }
  Late::go = false;
  Late::arrived = 0;
  const testing::Watchdog watchdog("a run to the end of a chunk", std::chrono::seconds(60));
  std::jthread reader([&] {
    while (Late::arrived < 2) sched_yield();
    Queue::enqueue(heap, queue, OneLane{}, true, 9);  // the next chunk, without which none leaves
    std::uint64_t read = 0;
    for (int got = 0; got < 2; got += Queue::dequeue(heap, queue, OneLane{}, true, read) ? 1 : 0)
      sched_yield();
    Late::go = true;
  });
  testing::LaneTeam(4).run([&](const auto& lane) {
    Late::is_late = lane.rank() >= 2;
    Queue::enqueue_run(heap, queue, lane, 2, [](std::uint32_t i) { return std::uint64_t{i}; });
  });
  reader.join();
  EXPECT_TRUE(Queue::dequeue(heap, queue, OneLane{}, true, value));
  EXPECT_EQ(value, 9u);
}

TEST(MemoryQueue, LanesThatWriteNothingLookForNoChunk) {
  run_to_the_end_of_a_chunk<VAP>();
  run_to_the_end_of_a_chunk<VLP>();
}

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

TEST(MemoryQueue, AFailedReadLeavesNoTrace) {
  const RingFixture f;
  std::uint64_t value = 0;
  for (int i = 0; i < 10; ++i) EXPECT_FALSE(f.get(value));
  EXPECT_EQ(f.queue.control->front.load(), 0u);
  EXPECT_TRUE(f.put(5));
  EXPECT_TRUE(f.get(value));
  EXPECT_EQ(value, 5u);
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
