// Queues by themselves: room, entries one at a time and in runs, and chunks of slots that come and
// go.
#include <atomic>
#include <chrono>
#include <thread>

#include "tests/cpu/memory/variants.hpp"
#include "tests/suites/thread_lanes.hpp"

namespace fathom::memory {
namespace {

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

TEST(MemoryQueue, AFailedReadLeavesNoTrace) {
  const RingFixture f;
  std::uint64_t value = 0;
  for (int i = 0; i < 10; ++i) EXPECT_FALSE(f.get(value));
  EXPECT_EQ(f.queue.control->front.load(), 0u);
  EXPECT_TRUE(f.put(5));
  EXPECT_TRUE(f.get(value));
  EXPECT_EQ(value, 5u);
}

}  // namespace
}  // namespace fathom::memory
