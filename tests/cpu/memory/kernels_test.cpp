// Every variant under as many lanes as a small kernel has: all take pages at once until there are
// none, and many give theirs back at once, as graphs on a GPU do. The lanes are fibers of one
// thread, which the sanitizers cannot follow.
#include <utility>

#include "tests/cpu/memory/fiber_variants.hpp"

namespace fathom::memory {
namespace {

using testing::Fibers;

template <class Manager>
class MemoryKernels : public FiberTest<Manager> {};
TYPED_TEST_SUITE(MemoryKernels, InterleavedVariants);
using MemoryQueues = MemoryKernels<Shared<VLP>>;

constexpr std::uint64_t kMostSteps = 5000000;  // ten times what a phase takes

/// `lanes` lanes that take a page each, and give some of them back, of a heap that has fewer.
template <class Manager>
void phases(const HeapOptions& options, std::uint32_t lanes, std::uint64_t bytes, int rounds,
            std::uint64_t seed) {
  const HostHeap<Manager> heap(options);
  const Manager m = heap.manager();
  Fibers fibers(seed);
  const RandomStream random(seed, 11);
  std::vector<void*> page(lanes);
  for (int round = 0; round < rounds; ++round) {
    ASSERT_TRUE(fibers.run(lanes, kMostSteps,
                           [&](std::uint32_t i, const Fibers::Lanes& group) {
                             void* const got = m.malloc(group, page[i] == nullptr ? bytes : 0);
                             if (got != nullptr) page[i] = got;
                           }))
        << "takes, round " << round;
    ASSERT_EQ(heap.valid(), Broken::None);
    Shadow shadow;
    std::uint64_t held = 0;
    for (void* p : page) {
      if (p == nullptr) continue;
      ASSERT_TRUE(shadow.add(p, bytes));
      held += bytes;
    }
    const std::uint64_t live = heap.stats().bytes_live;
    EXPECT_EQ(live, held);
    EXPECT_GE(static_cast<double>(live), 0.8 * static_cast<double>(options.bytes));
    ASSERT_TRUE(fibers.run(lanes, kMostSteps,
                           [&](std::uint32_t i, const Fibers::Lanes& group) {
                             const bool gives =
                                 random.at(static_cast<std::uint64_t>(round) * lanes + i) % 8 != 0;
                             m.free(group, gives ? std::exchange(page[i], nullptr) : nullptr);
                           }))
        << "gives back, round " << round;
    ASSERT_EQ(heap.valid(), Broken::None);
  }
  EXPECT_EQ(heap.stats().double_frees + heap.stats().foreign_frees, 0u);
}

TYPED_TEST(MemoryKernels, TakeAllThatThereIsAndGiveItBack) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    SCOPED_TRACE(seed);
    phases<TypeParam>(HeapOptions{64 * kChunkBytes}, 5000, 128, 2, seed);
    if (this->HasFatalFailure()) return;
  }
}

TEST_F(MemoryQueues, BeginWithSeveralLinkedChunksAtOnce) {
  constexpr std::uint32_t kChunks = 5;
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    SCOPED_TRACE(seed);
    const HostHeap<Shared<VLP>> owner(HeapOptions{64 * kChunkBytes});
    const Heap heap = owner.manager().heap();
    const QueueRef queue = heap.queue(3);
    ASSERT_TRUE(Fibers(seed).run(kChunks, kMostSteps, [&](std::uint32_t, const Fibers::Lanes&) {
      EXPECT_TRUE(LinkedStorage::attach<Interleaved>(heap, queue, OneLane{}));
    }));
    const std::uint64_t head = queue.control->head.value;
    ASSERT_EQ(head >> 32, 0u);
    std::uint64_t chunk = head & 0xffffffff, linked = 1;
    while ((chunk = heap.bits(static_cast<std::uint32_t>(chunk), 1).load()) != kEmpty) {
      ASSERT_LT(chunk, 64u);
      ++linked;
    }
    EXPECT_EQ(linked, kChunks);
  }
}

}  // namespace
}  // namespace fathom::memory
