// The coalescer model instruction by instruction, and EMOGI's toy example (section 3.3).
#include "fathom/ops/coalescer.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "fathom/core/error.hpp"
#include "fathom/ops/link_model.hpp"

namespace fathom {
namespace {

using Sizes = std::array<std::uint64_t, 4>;  // requests for 32, 64, 96 and 128 bytes

RequestCounts requests_of(const std::vector<std::uint64_t>& addresses) {
  Coalescer coalescer(0);
  RequestCounts counts;
  coalescer.issue(addresses, counts);
  return counts;
}

TEST(Coalescer, MergesAdjoiningSectorsOfALine) {
  EXPECT_EQ(requests_of({0, 4, 28}).of_size, (Sizes{1, 0, 0, 0}));
  EXPECT_EQ(requests_of({96, 32, 64}).of_size, (Sizes{0, 0, 1, 0}));
  EXPECT_EQ(requests_of({0, 32, 64, 96}).of_size, (Sizes{0, 0, 0, 1}));
}

TEST(Coalescer, SplitsAtGapsAndLineBorders) {
  EXPECT_EQ(requests_of({0, 64}).of_size, (Sizes{2, 0, 0, 0}));
  EXPECT_EQ(requests_of({0, 96, 32}).of_size, (Sizes{1, 1, 0, 0}));
  EXPECT_EQ(requests_of({96, 128}).of_size, (Sizes{2, 0, 0, 0}));
}

TEST(Coalescer, CountsWholeDramBursts) {
  EXPECT_EQ(requests_of({0}).dram_bytes, 64u);
  EXPECT_EQ(requests_of({0, 32}).dram_bytes, 64u);
  EXPECT_EQ(requests_of({32, 64}).dram_bytes, 128u);  // two halves of two bursts
  EXPECT_EQ(requests_of({32, 64, 96}).dram_bytes, 128u);
}

TEST(Coalescer, AsksAgainWithoutACacheAndNotWithOne) {
  for (const std::size_t cache : {0u, 4096u}) {
    Coalescer coalescer(cache);
    RequestCounts counts;
    const std::vector<std::uint64_t> first{0, 32}, second{32, 64};
    coalescer.issue(first, counts);
    coalescer.issue(second, counts);
    EXPECT_EQ(counts.of_size, cache ? (Sizes{1, 1, 0, 0}) : (Sizes{0, 2, 0, 0}));
  }
}

TEST(SectorCache, KeepsLinesUpToItsCapacityAndNoMore) {
  SectorCache cache(4 * 128);
  for (std::uint64_t line = 0; line < 4; ++line) EXPECT_EQ(cache.fetch(line, 0b0011u), 0b0011u);
  for (std::uint64_t line = 0; line < 4; ++line) EXPECT_EQ(cache.fetch(line, 0b0111u), 0b0100u);
  EXPECT_EQ(cache.fetch(4, 0b0001u), 0b0001u);
  int kept = 0;
  for (std::uint64_t line = 0; line < 4; ++line) kept += cache.fetch(line, 0b0001u) == 0;
  EXPECT_LT(kept, 4);
  cache.clear();
  EXPECT_EQ(cache.fetch(0, 0b1111u), 0b1111u);
}

TEST(RequestCounts, AddUp) {
  RequestCounts counts = requests_of({0});
  counts += requests_of({0, 32, 64, 96});
  counts += requests_of({0, 32, 64});
  EXPECT_EQ(counts.total(), 3u);
  EXPECT_EQ(counts.bytes(), 256u);
  EXPECT_EQ(counts.dram_bytes, 64u + 128u + 128u);
  EXPECT_DOUBLE_EQ(counts.share(128), 1.0 / 3);
  EXPECT_EQ(counts.share(64), 0);
  EXPECT_EQ(RequestCounts{}.share(32), 0);
}

/// The toy example: an array of 4-byte elements, cut into lists of `chunk` elements.
RequestCounts copy_array(Access access, std::uint64_t base, EdgeId elements, EdgeId chunk,
                         std::uint32_t id_bytes = 4) {
  const std::vector<VertexId> target(elements, 0);
  std::vector<EdgeId> offset(elements / chunk + 1);
  for (std::size_t i = 0; i < offset.size(); ++i) offset[i] = i * chunk;
  const CsrView lists{static_cast<VertexId>(offset.size() - 1), elements, offset.data(),
                      target.data()};
  std::vector<VertexId> active(lists.vertices);
  std::iota(active.begin(), active.end(), 0u);
  LinkModelOptions options;
  options.access = access;
  options.base = base;
  options.id_bytes = id_bytes;
  struct Ignore {
    bool visit(VertexId, VertexId, Weight) const { return false; }
  };
  return LinkModel(lists, options).superstep(active, Ignore{});
}

constexpr EdgeId kElements = 8192;

// Figure 3 (a): each thread scans a 128-byte block and asks for 32 bytes at each 32-byte border.
TEST(ToyExample, StridedAccessMakesOnly32ByteRequests) {
  const RequestCounts counts = copy_array(Access::Naive, 0, kElements, 32);
  EXPECT_EQ(counts.of_size, (Sizes{kElements * 4 / 32, 0, 0, 0}));
  EXPECT_EQ(counts.bytes(), kElements * 4);
}

// Figure 3 (b): threads of a warp read consecutive elements of a 128-byte line.
TEST(ToyExample, MergedAlignedAccessMakesOnly128ByteRequests) {
  const RequestCounts counts = copy_array(Access::Merged, 0, kElements, kElements);
  EXPECT_EQ(counts.of_size, (Sizes{0, 0, 0, kElements * 4 / 128}));
  EXPECT_EQ(copy_array(Access::Aligned, 0, kElements, kElements), counts);
}

// Figure 3 (c): off by 32 bytes, every warp instruction makes a 32-byte and a 96-byte request.
TEST(ToyExample, MergedMisalignedAccessSplitsEveryRequestIn32And96Bytes) {
  const RequestCounts counts = copy_array(Access::Merged, 32, kElements, kElements);
  EXPECT_EQ(counts.of_size, (Sizes{kElements / 32, 0, kElements / 32, 0}));
  EXPECT_EQ(counts.bytes(), kElements * 4);
}

// What shifting the warps mends (section 4.3.2): only the first and last lines stay partial.
TEST(ToyExample, AlignedAccessToAMisalignedArraySplitsOnlyItsEnds) {
  const RequestCounts counts = copy_array(Access::Aligned, 32, kElements, kElements);
  EXPECT_EQ(counts.of_size, (Sizes{1, 0, 1, kElements / 32 - 1}));
}

// A warp covers two lines of 8-byte elements: 128 bytes between the two parts of a split line.
TEST(ToyExample, EightByteElementsMakeTwoLinesPerInstruction) {
  const RequestCounts aligned = copy_array(Access::Merged, 0, kElements, kElements, 8);
  EXPECT_EQ(aligned.of_size, (Sizes{0, 0, 0, kElements * 8 / 128}));
  const RequestCounts misaligned = copy_array(Access::Merged, 32, kElements, kElements, 8);
  EXPECT_EQ(misaligned.of_size, (Sizes{kElements / 32, 0, kElements / 32, kElements / 32}));
}

// Figure 4: strided access reads twice the bytes from DRAM, merged ones what they need; and packet
// headers take 36 % of the link with 32-byte requests, 12.3 % with 128-byte ones (section 3.3).
TEST(ToyExample, StridedAccessDoublesDramTrafficAndTriplesHeaders) {
  const RequestCounts strided = copy_array(Access::Naive, 0, kElements, 32);
  const RequestCounts merged = copy_array(Access::Merged, 0, kElements, kElements);
  EXPECT_EQ(strided.dram_bytes, 2 * strided.bytes());
  EXPECT_EQ(merged.dram_bytes, merged.bytes());
  EXPECT_NEAR(strided.header_share(), .36, .001);
  EXPECT_NEAR(merged.header_share(), .123, .001);
}

// Section 3.3: with strided access, lines are evicted before all their elements are read, and more
// bytes than the array has are moved. 256 threads still fit the cache (above), 2048 do not.
TEST(ToyExample, StridedAccessByAFullMultiprocessorMovesMoreThanTheArray) {
  const EdgeId elements = 2048 * 32;
  const RequestCounts counts = copy_array(Access::Naive, 0, elements, 32);
  EXPECT_EQ(counts.share(32), 1);
  EXPECT_GT(counts.bytes(), elements * 4 * 3 / 2);
  EXPECT_EQ(copy_array(Access::Merged, 0, elements, elements).bytes(), elements * 4);
}

}  // namespace
}  // namespace fathom
