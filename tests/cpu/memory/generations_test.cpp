// What becomes of entries whose chunk has left, when the chunk's generations come round: here after
// few uses instead of 2^29.
#include <utility>

#include "tests/cpu/memory/fiber_variants.hpp"

namespace fathom::memory {
namespace {

using testing::Fibers;

template <class V>
struct Wrapping {
  struct Hooks : CheckedTraits {
    static constexpr std::uint32_t kGenerations = 4;
  };
  // As many as lanes may be late.
  struct Lanes : Interleaved {
    static constexpr std::uint32_t kGenerations = 64;
  };
  using Alone = Ouroboros<V, V, Hooks>;
  using Together = Ouroboros<V, V, Lanes>;
};
using WrappingVariants = ::testing::Types<Wrapping<SP>, Wrapping<SC>, Wrapping<VAP>, Wrapping<VAC>,
                                          Wrapping<VLP>, Wrapping<VLC>>;
template <class Variants>
class MemoryGenerations : public FiberTest<Variants> {};
TYPED_TEST_SUITE(MemoryGenerations, WrappingVariants);

struct Piece {
  void* p = nullptr;
  std::uint64_t bytes = 0;
};

/// How many chunks have a lower generation than at the last call.
std::uint64_t came_round(const Heap& heap, std::vector<std::uint64_t>& last) {
  std::uint64_t count = 0;
  last.resize(heap.layout.units);
  for (std::uint32_t i = 0; i < heap.layout.units; ++i) {
    const std::uint64_t now = generation_of(heap.state(i).load());
    count += now < std::exchange(last[i], now) ? 1 : 0;
  }
  return count;
}

TYPED_TEST(MemoryGenerations, AnEntryIsNotTakenForOneOfALaterRound) {
  using Manager = typename TypeParam::Alone;
  // Two classes take chunks from each other, while a third one's entries are left alone.
  constexpr std::uint64_t kBytes[] = {512, 4096, 1024};
  std::uint64_t rounds = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    const HostHeap<Manager> heap(HeapOptions{(2 + seed % 4) * kChunkBytes});
    const Manager m = heap.manager();
    const RandomStream random(seed, 3);
    Shadow shadow;
    std::vector<Piece> held;
    std::vector<std::uint64_t> last;
    for (std::uint64_t step = 0; step < 600; ++step) {
      const std::uint64_t r = random.at(step);
      const std::uint64_t bytes = kBytes[step % 100 < 97 ? r % 2 : 2];
      if (held.size() < 3 && r / 2 % 4 != 0) {
        void* const p = m.malloc(bytes);
        if (p == nullptr) continue;
        ASSERT_TRUE(shadow.add(p, bytes)) << "a page was handed out twice";
        held.push_back({p, bytes});
      } else if (!held.empty()) {
        std::swap(held[r / 8 % held.size()], held.back());
        shadow.remove(held.back().p);
        m.free(held.back().p);
        held.pop_back();
      }
      rounds += came_round(m.heap(), last);
      if (step % 16 == 0) {
        ASSERT_EQ(heap.valid(), Broken::None) << step;
      }
    }
    EXPECT_EQ(heap.stats().double_frees + heap.stats().foreign_frees, 0u);
  }
  EXPECT_GT(rounds, 20u);
}

TYPED_TEST(MemoryGenerations, LanesKeepTheirPagesWhileChunksComeRound) {
  using Manager = typename TypeParam::Together;
  constexpr std::uint64_t kBytes[] = {256, 4096, 2048};
  constexpr std::uint32_t kLanes = 12, kSteps = 400;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    SCOPED_TRACE(seed);
    const HostHeap<Manager> heap(HeapOptions{6 * kChunkBytes});
    const Manager m = heap.manager();
    const RandomStream random(seed, 5);
    Shadow shadow;
    bool apart = true;
    ASSERT_TRUE(Fibers(seed).run(kLanes, 5000000, [&](std::uint32_t i, const Fibers::Lanes&) {
      Piece mine;
      for (std::uint32_t step = 0; step < kSteps; ++step) {
        const std::uint64_t bytes = kBytes[random.at(i + std::uint64_t{step} * kLanes) % 3];
        mine = {m.malloc(OneLane{}, bytes), bytes};
        if (mine.p == nullptr) continue;
        apart = shadow.add(mine.p, bytes) && apart;
        Interleaved::mark(Point::State);
        shadow.remove(mine.p);
        m.free(OneLane{}, mine.p);
      }
    }));
    EXPECT_TRUE(apart) << "a page was handed out twice";
    EXPECT_EQ(heap.valid(), Broken::None);
    EXPECT_EQ(heap.stats().bytes_live, 0u);
    EXPECT_EQ(heap.stats().double_frees + heap.stats().foreign_frees, 0u);
  }
}

}  // namespace
}  // namespace fathom::memory
