// Every variant under threads that yield at random where they can hurt, alone and as groups of
// lanes; with chunks that cannot be had; on heaps that are too small.
#include "tests/cpu/memory/variants.hpp"
#include "tests/suites/thread_lanes.hpp"

namespace fathom::memory {
namespace {

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr std::uint64_t kSteps = 240;
#else
constexpr std::uint64_t kSteps = 400;
#endif

template <class Manager>
class MemoryStress : public ::testing::Test {
 protected:
  void TearDown() override { Disturbed::refused_from = ~std::uint64_t{0}; }
};
TYPED_TEST_SUITE(MemoryStress, DisturbedVariants);

/// One thread's, or lane's, allocations: each holds its owner's mark at both ends.
class Holder {
 public:
  explicit Holder(std::uint64_t id) : id_(id) {}

  void keep(void* p, std::uint64_t bytes) {
    if (p == nullptr) return;
    mark(p, bytes, id_);
    held_.push_back({p, bytes});
  }
  /// The i-th of what is held, if there is one; from then on the caller's to free.
  void* drop(std::uint64_t i) {
    if (held_.empty()) return nullptr;
    auto& h = held_[i % held_.size()];
    void* p = h.first;
    intact_ = intact_ && marked(p, h.second, id_);
    mark(p, h.second, ~id_);
    h = held_.back();
    held_.pop_back();
    return p;
  }
  bool empty() const { return held_.empty(); }
  bool intact() const { return intact_; }

 private:
  static void mark(void* p, std::uint64_t bytes, std::uint64_t id) {
    std::memcpy(p, &id, bytes < 8 ? bytes : 8);
    if (bytes >= 16) std::memcpy(static_cast<std::byte*>(p) + bytes - 8, &id, 8);
  }
  static bool marked(const void* p, std::uint64_t bytes, std::uint64_t id) {
    return std::memcmp(p, &id, bytes < 8 ? bytes : 8) == 0 &&
           (bytes < 16 || std::memcmp(static_cast<const std::byte*>(p) + bytes - 8, &id, 8) == 0);
  }
  std::uint64_t id_;
  std::vector<std::pair<void*, std::uint64_t>> held_;
  bool intact_ = true;
};

/// Allocates and frees at random, with all lanes of the group; in the end everything is free.
template <class Manager, class G>
bool exercise(const Manager& m, const G& group, std::uint64_t id, std::uint64_t steps,
              std::uint64_t most_bytes) {
  Holder holder(id);
  const RandomStream random(id, 7);
  for (std::uint64_t i = 0; i < steps; ++i) {
    const std::uint64_t r = random.at(2 * i), size = bounded(random.at(2 * i + 1), most_bytes) + 1;
    if (i / 50 % 2 == 0)  // every lane takes part, some want nothing
      holder.keep(m.malloc(group, r % 8 == 0 ? 0 : size), size);
    else
      m.free(group, r % 8 == 0 ? nullptr : holder.drop(r / 8));
  }
  while (group.ballot(!holder.empty()) != 0) m.free(group, holder.drop(0));
  return holder.intact();
}

template <class Manager>
void threads_and_groups(const HostHeap<Manager>& heap, std::uint64_t steps, std::uint64_t bytes) {
  const Manager m = heap.manager();
  std::atomic<bool> intact = true;
  {
    std::vector<std::jthread> threads;
    for (std::uint64_t t = 0; t < 3; ++t)
      threads.emplace_back([&, t] {
        if (!exercise(m, OneLane{}, 100 + t, steps, bytes)) intact = false;
      });
    testing::LaneTeam team(4);
    team.run([&](const testing::LaneTeam::Lane& lane) {
      if (!exercise(m, lane, 200 + lane.rank(), steps / 8, bytes)) intact = false;
    });
  }
  EXPECT_TRUE(intact);
  EXPECT_EQ(heap.valid(), Broken::None);
  const Stats s = heap.stats();
  EXPECT_EQ(s.bytes_live, 0u);
  EXPECT_EQ(s.double_frees + s.foreign_frees, 0u);
}

TYPED_TEST(MemoryStress, PagesStayApartWithThreadsAndGroups) {
  const HostHeap<TypeParam> heap(HeapOptions{16 << 20});
  threads_and_groups(heap, kSteps, 64);
  threads_and_groups(heap, kSteps, 10000);
}

TYPED_TEST(MemoryStress, AHeapThatIsTooSmallStaysWhole) {
  const HostHeap<TypeParam> heap(HeapOptions{20 * kChunkBytes});
  threads_and_groups(heap, kSteps, 3000);
}

TYPED_TEST(MemoryStress, ARefusedChunkIsNullAndNothingElse) {
  const HostHeap<TypeParam> heap(HeapOptions{16 << 20});
  for (std::uint64_t n = 0; n < 6; ++n) {
    Disturbed::asked = 0;
    Disturbed::refused_from = n;
    threads_and_groups(heap, kSteps / 10, 2000);
    Disturbed::refused_from = ~std::uint64_t{0};
  }
  void* p = heap.manager().malloc(50);
  EXPECT_NE(p, nullptr);
}

TYPED_TEST(MemoryStress, AGroupOfLanesGetsAPageEach) {
  const HostHeap<TypeParam> heap(HeapOptions{8 << 20});
  const TypeParam m = heap.manager();
  for (const std::uint64_t bytes : {16u, 4096u, 8192u, 65536u}) {
    testing::LaneTeam team(8);
    std::vector<void*> got(8);
    team.run(
        [&](const testing::LaneTeam::Lane& lane) { got[lane.rank()] = m.malloc(lane, bytes); });
    Shadow shadow;
    for (void* p : got) {
      ASSERT_NE(p, nullptr);
      EXPECT_TRUE(shadow.add(p, bytes));
    }
    EXPECT_EQ(heap.valid(), Broken::None) << bytes;
    team.run([&](const testing::LaneTeam::Lane& lane) { m.free(lane, got[lane.rank()]); });
    EXPECT_EQ(heap.valid(), Broken::None) << bytes;
  }
  EXPECT_EQ(heap.stats().bytes_live, 0u);
}

}  // namespace
}  // namespace fathom::memory
