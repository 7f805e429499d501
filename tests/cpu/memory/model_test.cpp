// Every variant against a model, one thread: no overlap, alignment, everything comes back.
#include <rapidcheck.h>

#include <algorithm>

#include "tests/cpu/memory/variants.hpp"

namespace fathom::memory {
namespace {

template <class Manager>
class MemoryModel : public ::testing::Test {};
TYPED_TEST_SUITE(MemoryModel, CheckedVariants);

struct Held {
  void* p;
  std::uint64_t bytes;
  unsigned char mark;
};

bool holds_mark(const Held& h) {
  const auto* byte = static_cast<const unsigned char*>(h.p);
  return byte[0] == h.mark && byte[h.bytes - 1] == h.mark;
}

TYPED_TEST(MemoryModel, PagesAreApartAlignedAndComeBack) {
  const bool ok = rc::check([] {
    HostHeap<TypeParam> heap(HeapOptions{8 << 20});
    const TypeParam m = heap.manager();
    std::vector<Held> held;
    Shadow shadow;
    const auto steps = *rc::gen::inRange(1, 400);
    const auto seed = *rc::gen::arbitrary<std::uint64_t>();
    const auto most = *rc::gen::inRange<std::uint64_t>(4, 21);
    const RandomStream random(seed, 0);
    for (int i = 0; i < steps; ++i) {
      const auto r = static_cast<std::uint64_t>(i) * 4;
      if (held.empty() || bounded(random.at(r), 100) < 60) {
        const std::uint64_t bytes =
            1 + bounded(random.at(r + 1), std::uint64_t{1} << bounded(random.at(r + 2), most));
        void* p = m.malloc(bytes);
        if (p == nullptr) continue;
        const auto offset = static_cast<std::uint64_t>(static_cast<std::byte*>(p) - m.front());
        RC_ASSERT(offset % std::min(rounded(bytes), kChunkBytes) == 0u);
        RC_ASSERT((m.pointer_to(m.index_of(p)) == p));
        RC_ASSERT(shadow.add(p, bytes));
        const auto mark = static_cast<unsigned char>(i);
        std::memset(p, mark, bytes);
        held.push_back({p, bytes, mark});
      } else {
        const auto which = bounded(random.at(r + 3), held.size());
        RC_ASSERT(holds_mark(held[which]));
        shadow.remove(held[which].p);
        m.free(held[which].p);
        held[which] = held.back();
        held.pop_back();
      }
    }
    RC_ASSERT(heap.valid() == Broken::None);
    std::uint64_t live = 0;
    for (const Held& h : held) live += rounded(h.bytes);
    RC_ASSERT(heap.stats().bytes_live == live);
    for (const Held& h : held) {
      RC_ASSERT(holds_mark(h));
      m.free(h.p);
    }
    RC_ASSERT(heap.valid() == Broken::None);
    const Stats s = heap.stats();
    RC_ASSERT(s.bytes_live == 0u);
    RC_ASSERT(s.chunks_idle == s.chunks_pages);
    RC_ASSERT(s.double_frees + s.foreign_frees == 0u);
  });
  EXPECT_TRUE(ok);
}

TYPED_TEST(MemoryModel, RequestsOfNothingOrTooMuchGetNull) {
  HostHeap<TypeParam> heap(HeapOptions{4 << 20});
  EXPECT_EQ(heap.manager().malloc(0), nullptr);
  EXPECT_EQ(heap.manager().malloc(kMostBytes + 1), nullptr);
  void* largest = heap.manager().malloc(kMostBytes);
  ASSERT_NE(largest, nullptr);
  std::memset(largest, 1, kMostBytes);
  heap.manager().free(largest);
  heap.manager().free(nullptr);
  EXPECT_EQ(heap.valid(), Broken::None);
}

TYPED_TEST(MemoryModel, AFullHeapWorksOnAfterFrees) {
  for (const std::uint64_t bytes : {16u, 64u, 1024u, 8192u, 131072u}) {
    HostHeap<TypeParam> heap(HeapOptions{4 << 20});
    const TypeParam m = heap.manager();
    std::vector<void*> held;
    while (void* p = m.malloc(bytes)) held.push_back(p);
    const double share = static_cast<double>(held.size() * bytes) / (4 << 20);
    EXPECT_GE(share, 0.98) << bytes;
    EXPECT_EQ(m.malloc(bytes), nullptr);
    ASSERT_EQ(heap.valid(), Broken::None) << bytes;
    for (std::size_t i = 0; i < held.size(); i += 2) m.free(held[i]);
    ASSERT_EQ(heap.valid(), Broken::None) << bytes;
    std::vector<void*> again;
    for (std::size_t i = 1; i < held.size(); i += 2) again.push_back(held[i]);
    while (void* p = m.malloc(bytes)) again.push_back(p);
    EXPECT_GE(static_cast<double>(again.size() * bytes) / (4 << 20), 0.97)
        << bytes;  // queue chunks
    held = again;
    std::ranges::sort(held);
    EXPECT_EQ(std::ranges::adjacent_find(held), held.end());
    for (void* p : held) m.free(p);
    ASSERT_EQ(heap.valid(), Broken::None) << bytes;
    EXPECT_EQ(heap.stats().bytes_live, 0u);
  }
}

TYPED_TEST(MemoryModel, ChunksOfOneSizeServeAnotherOnceFree) {
  HostHeap<TypeParam> heap(HeapOptions{2 << 20});
  const TypeParam m = heap.manager();
  for (const std::uint64_t bytes : {16u, 8192u, 256u, 32u, 4096u, 16u, 512u}) {
    std::vector<void*> held;
    while (void* p = m.malloc(bytes)) held.push_back(p);
    EXPECT_GE(static_cast<double>(held.size() * bytes), 0.95 * (2 << 20)) << bytes;
    for (void* p : held) m.free(p);
    ASSERT_EQ(heap.valid(), Broken::None) << bytes;
  }
}

TYPED_TEST(MemoryModel, ChurnDoesNotGrowTheHeap) {
  HostHeap<TypeParam> heap(HeapOptions{32 << 20});
  const TypeParam m = heap.manager();
  std::uint64_t reserved = 0;
  for (int round = 0; round < 100; ++round) {
    std::vector<void*> held;
    for (std::uint64_t i = 0; i < 1000; ++i)
      held.push_back(m.malloc(16u << (i + static_cast<std::uint64_t>(round)) % 8));
    for (void* p : held) m.free(p);
    const std::uint64_t now = heap.stats().bytes_reserved;
    // Virtualised queues hold one chunk or two, as their entries come to lie across borders.
    if (round < 10) reserved = now + 8 * kChunkBytes;
    ASSERT_LE(now, reserved) << round;
  }
  EXPECT_EQ(heap.valid(), Broken::None);
}

TYPED_TEST(MemoryModel, PagesLieCloseTogether) {
  for (const std::uint64_t bytes : {16u, 100u, 1024u, 8192u}) {
    HostHeap<TypeParam> heap(HeapOptions{64 << 20});
    const TypeParam m = heap.manager();
    std::uintptr_t low = ~std::uintptr_t{0}, high = 0;
    const std::uint64_t count = 16 * kChunkBytes * 16 / rounded(bytes) * 2;
    for (std::uint64_t i = 0; i < count; ++i) {
      const auto p = reinterpret_cast<std::uintptr_t>(m.malloc(bytes));
      low = std::min(low, p);
      high = std::max(high, p + rounded(bytes));
    }
    EXPECT_LE(static_cast<double>(high - low), 1.05 * static_cast<double>(count * rounded(bytes)))
        << bytes;
  }
}

}  // namespace
}  // namespace fathom::memory
