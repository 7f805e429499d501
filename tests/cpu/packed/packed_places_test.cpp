// What finds the blocks of packed lists is made of checked lists alone; which groups are kept
// nearer.
#include "fathom/residency/packed/packed_places.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/cpu/packed/packed_case.hpp"
#include "tests/suites/expect_error.hpp"

namespace fathom {
namespace {

using testing::expect_error;
using testing::PackedCase;

TEST(PackedPlaces, GroupsThatCannotBeUnpackedAreRefused) {
  PackedCase lists;
  lists.make(13, 16, 5000, 200);
  std::vector<std::uint32_t> block(blocks_before(lists.lists.groups(), 5000));
  lists.words[lists.index[3]] = ~0u;
  for (const int threads : {1, 3})
    expect_error(ErrorCode::BadInput, [&] { locate_blocks(lists.lists, 0, 5, threads, block); },
                 {"case: group 3 (edges 3072 to 4095) cannot be unpacked"});
}

TEST(PackedPlaces, CodesWithoutAWeightAreRefused) {
  PackedCase lists;
  lists.make(14, 16, 3000, 200);
  lists.weigh(15, 1, 10);
  std::vector<std::uint32_t> block(blocks_before(lists.lists.groups(), 3000));
  lists.codes[2100] = std::byte{10};
  expect_error(ErrorCode::BadInput, [&] { locate_blocks(lists.lists, 0, 3, 1, block); },
               {"case: the weight of one of edges 2048 to 2999 has no value"});
}

TEST(PackedPlaces, AreTheSameInPieces) {
  PackedCase lists;
  lists.make(16, 16, 9000, 200);
  lists.locate();
  const std::uint64_t groups = lists.lists.groups();
  for (std::uint64_t g = 0; g < groups; ++g) {
    const std::uint64_t first = blocks_before(g, 9000), last = blocks_before(g + 1, 9000);
    std::vector<std::uint32_t> block(last - first);
    lists.words.resize(lists.words.size() + store::packed::kPadWords, 0);
    lists.lists.words = lists.words.data();
    locate_blocks(lists.lists, g, g + 1, 2, block);
    EXPECT_TRUE(std::equal(block.begin(), block.end(),
                           lists.block.begin() + static_cast<std::ptrdiff_t>(first)));
  }
  EXPECT_EQ(bytes_of_places(9000), (groups + 1) * 8 + lists.block.size() * 4);
}

TEST(PackedPlaces, GroupsOfManyListsAreKeptNear) {
  PackedCase mixed;
  mixed.make(18, 12, 6000, 3);
  // The lists in the middle become one.
  const auto first = std::upper_bound(mixed.offset.begin(), mixed.offset.end(), EdgeId{1200});
  const auto last = std::lower_bound(mixed.offset.begin(), mixed.offset.end(), EdgeId{4000});
  mixed.offset.erase(first, last);
  mixed.lists.offset = mixed.offset.data();
  mixed.lists.vertices = static_cast<VertexId>(mixed.count());
  const auto pool = MemoryPool::unlimited();
  const std::uint64_t all = mixed.index.back();
  for (const int threads : {1, 4}) {
    const GroupChoice low =
        choose_groups(mixed.lists, CachePolicy::LowDegree, all / 2, false, threads, pool);
    EXPECT_LE(low.words, all / 2);
    EXPECT_EQ(low.groups, 3u);
    for (const std::size_t g : {0u, 4u, 5u}) EXPECT_NE(low.place[g] & PackedEdges::kNear, 0u) << g;
    for (const std::size_t g : {1u, 2u, 3u}) EXPECT_EQ(low.place[g], mixed.index[g]) << g;
    EXPECT_EQ(low.edges, 2048u + 6000 - 5 * 1024);
    const GroupChoice high =
        choose_groups(mixed.lists, CachePolicy::HighDegree, all / 2, false, threads, pool);
    EXPECT_NE(high.place[2] & PackedEdges::kNear, 0u);
    EXPECT_EQ(high.place[0], mixed.index[0]);
    const GroupChoice prefix =
        choose_groups(mixed.lists, CachePolicy::Prefix, all / 2, false, threads, pool);
    for (const std::size_t g : {0u, 1u}) EXPECT_NE(prefix.place[g] & PackedEdges::kNear, 0u) << g;
    EXPECT_EQ(prefix.place[4], mixed.index[4]);
  }
  const GroupChoice none = choose_groups(mixed.lists, CachePolicy::LowDegree, 0, false, 1, pool);
  EXPECT_EQ(none.groups, 0u);
  const GroupChoice everything =
      choose_groups(mixed.lists, CachePolicy::LowDegree, all, false, 1, pool);
  EXPECT_EQ(everything.groups, mixed.lists.groups());
  EXPECT_EQ(everything.words, all);
  EXPECT_EQ(everything.edges, 6000u);
}

TEST(PackedPlaces, RoomForWeightsIsInFrontOfAGroup) {
  PackedCase lists;
  lists.make(19, 12, 2500, 20);
  lists.weigh(20, 1, 30);
  lists.lists.vertices = static_cast<VertexId>(lists.count());
  const GroupChoice choice = choose_groups(lists.lists, CachePolicy::Prefix, ~std::uint64_t{0},
                                           true, 1, MemoryPool::unlimited());
  EXPECT_EQ(choice.place[0], PackedEdges::kNear | 256);
  EXPECT_EQ(choice.place[1], PackedEdges::kNear | (256 + lists.index[1] + 256));
  EXPECT_EQ(choice.words, lists.index.back() + 3 * 256);
}

}  // namespace
}  // namespace fathom
