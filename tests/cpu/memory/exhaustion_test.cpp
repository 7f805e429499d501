// Sizes of all levels at the very end of a heap: lanes and threads ask for more than there is until
// nobody gets anything. No page is handed out twice, none is lost, and nobody is refused fresh
// chunks that are there.
#include <algorithm>
#include <utility>

#include "tests/cpu/memory/fiber_variants.hpp"

namespace fathom::memory {
namespace {

using testing::Fibers;

struct Block {
  std::byte* p = nullptr;
  std::uint64_t bytes = 0;
};

/// Half of the requests are for whole chunks, of which the large ones do not fit where small ones
/// still do.
std::uint64_t mixed_bytes(std::uint64_t draw) {
  constexpr std::uint64_t kWhole[] = {8192, 16 * kChunkBytes, 128 * kChunkBytes, 8192};
  return draw % 2 == 0 ? kWhole[draw / 2 % 4] : std::uint64_t{16} << draw / 2 % kClasses;
}

/// Units that were never handed out; none for the moment in which the end was passed.
std::uint64_t fresh_units(const Heap& heap) {
  const std::uint64_t bounds = heap.control().bounds.load(), limits = heap.control().limits.load();
  const std::uint64_t end = std::min(limits & 0xffffffff, heap.layout.units - (bounds >> 32));
  return end - std::min(end, bounds & 0xffffffff);
}

/// Whether the blocks lie apart and the heap counts exactly them.
template <class Manager>
void expect_whole(const HostHeap<Manager>& heap, const std::vector<std::vector<Block>>& held) {
  Shadow shadow;
  std::uint64_t bytes = 0;
  for (const auto& mine : held)
    for (const Block& b : mine) {
      ASSERT_TRUE(shadow.add(b.p, b.bytes)) << "a page was handed out twice";
      bytes += rounded(b.bytes);
    }
  ASSERT_EQ(heap.valid(), Broken::None);
  const Stats s = heap.stats();
  ASSERT_EQ(s.bytes_live, bytes);
  ASSERT_EQ(s.double_frees + s.foreign_frees, 0u);
}

/// The same by threads.
template <class Manager>
class MemoryExhaustionByThreads : public ::testing::Test {};
TYPED_TEST_SUITE(MemoryExhaustionByThreads, DisturbedVariants);

TYPED_TEST(MemoryExhaustionByThreads, MixedSizesShareTheLastChunks) {
  constexpr std::uint64_t kThreads = 4;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE(seed);
    const HostHeap<TypeParam> heap(HeapOptions{(1100 + 37 * seed) * kChunkBytes});
    const TypeParam m = heap.manager();
    std::vector<std::vector<Block>> held(kThreads);
    std::atomic<std::uint64_t> refused_in_vain = 0;
    const auto fill = [&](std::uint64_t t) {
      const RandomStream random(seed, t);
      for (std::uint64_t step = 0, refused = 0; step < 1500 && refused < 40; ++step) {
        const std::uint64_t bytes = mixed_bytes(random.at(step) >> 16);
        void* const p = m.malloc(bytes);
        if (p != nullptr)
          held[t].push_back({static_cast<std::byte*>(p), bytes});
        else if (++refused; fresh_units(m.heap()) >= units_of(level_of(class_of(bytes))))
          ++refused_in_vain;
      }
    };
    const auto give_back = [&](std::uint64_t t) {
      for (std::size_t n = held[t].size() / 2; n > 0; --n) {
        m.free(held[t].back().p);
        held[t].pop_back();
      }
    };
    const auto together = [&](const auto& step) {
      std::vector<std::jthread> threads;
      for (std::uint64_t t = 0; t < kThreads; ++t) threads.emplace_back([&step, t] { step(t); });
    };
    for (int round = 0; round < 2; ++round) {
      together(fill);
      expect_whole(heap, held);
      together(give_back);
      expect_whole(heap, held);
      if (this->HasFatalFailure()) return;
    }
    EXPECT_EQ(refused_in_vain, 0u);
  }
}

template <class Manager>
class MemoryExhaustion : public FiberTest<Manager> {};
TYPED_TEST_SUITE(MemoryExhaustion, InterleavedVariants);

constexpr std::uint64_t kMostChanges = 3000000;  // from lane to lane; ten times what a phase takes

/// Lanes that take blocks until each was refused several times, then give most back, and again.
/// Together: with their warp, else each for itself.
template <class Manager>
void exhaust(std::uint64_t units, std::uint32_t lanes, bool together, std::uint64_t seed) {
  const HostHeap<Manager> heap(HeapOptions{units * kChunkBytes});
  const Manager m = heap.manager();
  Fibers fibers(seed);
  std::vector<std::vector<Block>> held(lanes);
  std::uint64_t refused_in_vain = 0;
  for (std::uint64_t round = 0; round < 2; ++round) {
    const RandomStream random(seed, round);
    ASSERT_TRUE(fibers.run(
        lanes, kMostChanges,
        [&](std::uint32_t i, const Fibers::Lanes& group) {
          for (std::uint64_t step = 0; step < 6; ++step) {
            const std::uint64_t bytes = mixed_bytes(random.at(i + step * lanes) >> 16);
            void* const p = together ? m.malloc(group, bytes) : m.malloc(OneLane{}, bytes);
            if (p != nullptr)
              held[i].push_back({static_cast<std::byte*>(p), bytes});
            else if (fresh_units(m.heap()) >= units_of(level_of(class_of(bytes))))
              ++refused_in_vain;
          }
        }))
        << "takes, round " << round;
    expect_whole(heap, held);
    ASSERT_EQ(refused_in_vain, 0u);
    EXPECT_LT(fresh_units(m.heap()), 16u);
    ASSERT_TRUE(fibers.run(lanes, kMostChanges,
                           [&](std::uint32_t i, const Fibers::Lanes&) {
                             for (std::uint64_t n = held[i].size(); n > 0; --n) {
                               if (random.at(i + n * lanes) % 4 == 0) continue;
                               m.free(OneLane{}, held[i][n - 1].p);
                               held[i].erase(held[i].begin() + static_cast<std::ptrdiff_t>(n) - 1);
                             }
                           }))
        << "gives back, round " << round;
    expect_whole(heap, held);
  }
}

TYPED_TEST(MemoryExhaustion, MixedSizesShareTheLastChunks) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    SCOPED_TRACE(seed);
    exhaust<TypeParam>(1100 + 37 * (seed % 5), 160, seed % 3 == 0, seed);
    if (this->HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace fathom::memory
