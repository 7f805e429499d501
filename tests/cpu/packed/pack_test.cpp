// Groups of packed ids come back as they were, in as few words as the format promises; words that
// are no group are refused, and nothing behind them is read.
#include "fathom/store/packed/pack.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "fathom/store/packed/packed_image.hpp"
#include "tests/suites/expect_error.hpp"

namespace fathom::store {
namespace {

using packed::kGroup;
using testing::expect_error;

/// The words of a group, with room behind them that only loads may reach.
struct Words {
  std::vector<std::uint32_t> words;
  std::size_t count;

  explicit Words(std::vector<std::uint32_t> of_group)
      : words(std::move(of_group)), count(words.size()) {
    words.resize(count + packed::kPadWords, 0);
    words.shrink_to_fit();
  }
  std::span<const std::uint32_t> span() const { return std::span(words).first(count); }
};

Words packed_words(std::span<const VertexId> ids, std::uint32_t id_bits) {
  std::vector<std::uint32_t> words;
  packed::pack_group(ids, id_bits, words);
  return Words(std::move(words));
}

/// Lists that ascend, of random lengths and widths.
std::vector<VertexId> some_lists(std::mt19937_64& random, std::size_t count, VertexId vertices) {
  std::vector<VertexId> ids;
  while (ids.size() < count) {
    const std::size_t length = 1 + random() % (random() % 4 == 0 ? 300 : 6);
    const VertexId width = random() % 3 == 0 ? std::min<VertexId>(vertices, 50) : vertices;
    const auto base =
        static_cast<VertexId>(vertices > width ? random() % (vertices - width) : std::uint64_t{0});
    std::vector<VertexId> list(length);
    for (VertexId& id : list) id = static_cast<VertexId>(base + random() % width);
    std::sort(list.begin(), list.end());
    ids.insert(ids.end(), list.begin(), list.end());
  }
  ids.resize(count);
  return ids;
}

TEST(Pack, GroupsOfAnyWidthAndLengthComeBack) {
  std::mt19937_64 random(1);
  for (std::uint32_t bits = 1; bits <= std::min(kIdBits, 40u); ++bits) {
    const auto vertices =
        static_cast<VertexId>(std::min<std::uint64_t>(std::uint64_t{1} << bits, kNoVertex));
    for (const std::size_t count : {1u, 2u, 63u, 64u, 65u, 127u, 500u, 1023u, 1024u}) {
      std::vector<std::vector<VertexId>> cases{some_lists(random, count, vertices)};
      cases.emplace_back(count, vertices - 1);
      cases.emplace_back(count);
      for (VertexId& id : cases.back()) id = static_cast<VertexId>(random() % vertices);
      cases.emplace_back(count);
      std::iota(cases.back().begin(), cases.back().end(), VertexId{0});
      for (VertexId& id : cases.back()) id %= vertices;
      for (const std::vector<VertexId>& ids : cases) {
        const Words words = packed_words(ids, bits);
        EXPECT_LE(words.count, packed::most_words(bits));
        std::vector<VertexId> back(count, kNoVertex);
        ASSERT_TRUE(packed::unpack_group(words.span(), bits, vertices, back))
            << bits << " " << count;
        ASSERT_EQ(back, ids) << bits << " " << count;
        EXPECT_TRUE(
            packed::is_padded_with_zeros(words.span(), bits, static_cast<std::uint32_t>(count)));
      }
    }
  }
}

TEST(Pack, TakesFewBitsWhereIdsAreNear) {
  std::vector<VertexId> ids(kGroup);
  std::iota(ids.begin(), ids.end(), VertexId{1000});
  // 16 bases of 20 bits, a bit for each difference but the first, and 16 codes.
  EXPECT_EQ(packed_words(ids, 20).count, 8u + (16 * (20 + 63) + 31) / 32);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    ids[i] = static_cast<VertexId>(5000 + i % 2 * 8);  // differences fall
  }
  EXPECT_LE(packed_words(ids, 20).count, 8u + (16 * (20 + 64 * 4) + 31) / 32);
}

TEST(Pack, RefusesIdsThatAreNoVertices) {
  std::vector<VertexId> ids(100, 7), back(100);
  ids[99] = 12;
  const Words words = packed_words(ids, 4);
  EXPECT_TRUE(packed::unpack_group(words.span(), 4, 13, back));
  EXPECT_FALSE(packed::unpack_group(words.span(), 4, 12, back));
}

TEST(Pack, RefusesGroupsThatEndEarly) {
  std::mt19937_64 random(2);
  const std::vector<VertexId> ids = some_lists(random, kGroup, 1 << 20);
  const Words whole = packed_words(ids, 20);
  std::vector<VertexId> back(kGroup);
  for (std::size_t count = 0; count < whole.count; count += 7)
    EXPECT_FALSE(packed::unpack_group(whole.span().first(count), 20, 1 << 20, back)) << count;
}

/// What is accepted is what some ids are packed as, or another way to say them; what is not says
/// so.
TEST(Pack, AnyWordsAreRefusedOrStandForVertices) {
  std::mt19937_64 random(3);
  std::size_t accepted = 0;
  for (int round = 0; round < 4000; ++round) {
    const auto bits = static_cast<std::uint32_t>(1 + random() % std::min(kIdBits, 40u));
    const std::size_t count = 1 + random() % kGroup;
    const auto vertices =
        static_cast<VertexId>(std::min<std::uint64_t>(std::uint64_t{1} << bits, kNoVertex));
    std::vector<std::uint32_t> raw;
    if (round % 2 == 0) {  // a group with some bits turned
      packed::pack_group(some_lists(random, count, vertices), bits, raw);
      for (std::size_t n = 1 + random() % 3; n-- > 0;)
        raw[random() % std::min<std::size_t>(raw.size(), random() % 2 == 0 ? 8 : raw.size())] ^=
            1u << random() % 32;
    } else {
      raw.resize(random() % packed::most_words(bits));
      for (std::uint32_t& word : raw) word = static_cast<std::uint32_t>(random());
    }
    const Words words(std::move(raw));
    std::vector<VertexId> ids(count);
    if (!packed::unpack_group(words.span(), bits, vertices, ids)) continue;
    ++accepted;
    for (const VertexId id : ids) ASSERT_LT(id, vertices);
  }
  EXPECT_GT(accepted, 100u);
}

TEST(Pack, AnIndexAscendsWithinBoundsToItsEnd) {
  std::mt19937_64 random(4);
  const std::uint32_t bits = 20;
  std::vector<std::uint64_t> index;
  packed::GroupPlaces places;
  const std::size_t groups = 900;  // more than a border has room for
  for (std::size_t g = 0; g < groups; ++g) index.push_back(places.add(300 + random() % 300));
  index.push_back(places.end());
  const EdgeId edges = groups * kGroup - 5;
  const std::uint64_t words = index.back() + packed::kPadWords;
  ASSERT_GT(index.back(), packed::kBorderWords);
  EXPECT_EQ(fault_of_index(index, edges, bits, words), "");
  for (std::size_t g = 0; g < groups; ++g)
    EXPECT_EQ(index[g] / packed::kBorderWords,
              (packed::end_of_group(index[g], index[g + 1]) - 1) / packed::kBorderWords);
  EXPECT_NE(fault_of_index(index, edges + kGroup, bits, words), "");
  EXPECT_NE(fault_of_index(index, edges, bits, words + 1), "");
  EXPECT_NE(fault_of_index(index, edges, bits, words - 1), "");
  for (const std::size_t g : {std::size_t{0}, std::size_t{17}, groups - 1}) {
    auto wrong = index;
    wrong[g] = g == 0 ? 1 : wrong[g - 1];
    EXPECT_NE(fault_of_index(wrong, edges, bits, words), "") << g;
    wrong[g] = ~std::uint64_t{0};
    EXPECT_NE(fault_of_index(wrong, edges, bits, words), "") << g;
    wrong = index;
    for (std::size_t later = g + 1; later < wrong.size(); ++later) wrong[later] += 2000;
    EXPECT_NE(fault_of_index(wrong, edges, bits, words + 2000), "") << g;
  }
}

Csr sample_lists(VertexId vertices, EdgeId edges, std::size_t distinct_weights) {
  std::mt19937_64 random(5);
  std::vector<std::pair<VertexId, VertexId>> pairs(static_cast<std::size_t>(edges));
  for (auto& [u, v] : pairs) {
    u = static_cast<VertexId>(random() % vertices);
    v = static_cast<VertexId>(random() % vertices);
  }
  std::sort(pairs.begin(), pairs.end());
  Csr csr;
  csr.offset = Array<EdgeId>(vertices + std::size_t{1}, EdgeId{0});
  csr.target = Array<VertexId>(pairs.size());
  if (distinct_weights > 0) csr.weight = Array<Weight>(pairs.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    ++csr.offset[pairs[i].first + std::size_t{1}];
    csr.target[i] = pairs[i].second;
    if (distinct_weights > 0)
      csr.weight[i] = static_cast<Weight>(random() % distinct_weights) - 3.5f;
  }
  std::partial_sum(csr.offset.begin(), csr.offset.end(), csr.offset.begin());
  return csr;
}

TEST(PackedLists, AnyRangeComesBackWithItsWeights) {
  std::mt19937_64 random(6);
  for (const std::size_t distinct : {0u, 1u, 200u, 5000u, 1'000'000u}) {
    const Csr csr = sample_lists(3000, 200'000, distinct);
    const PackedImage image = pack(csr.view());
    const PackedLists& lists = image.lists;
    ASSERT_EQ(static_cast<bool>(lists.weights), distinct > 0);
    EXPECT_EQ(lists.layout.code_bytes, distinct == 0 || distinct > 65536 ? 0u
                                       : distinct <= 256                 ? 1u
                                                                         : 2u);
    for (int round = 0; round < 50; ++round) {
      const EdgeId first = random() % csr.edges();
      const std::size_t count = 1 + random() % (csr.edges() - first);
      std::vector<VertexId> target(count);
      std::vector<Weight> weight(distinct > 0 ? count : 0);
      unpack_edges(lists, first, target, weight);
      ASSERT_TRUE(std::equal(target.begin(), target.end(), csr.target.begin() + first));
      if (distinct > 0) {
        ASSERT_TRUE(std::equal(weight.begin(), weight.end(), csr.weight.begin() + first));
      }
    }
    const Csr back = unpack(lists, 3, MemoryPool::unlimited());
    EXPECT_TRUE(std::equal(back.target.begin(), back.target.end(), csr.target.begin()));
    EXPECT_TRUE(std::equal(back.weight.begin(), back.weight.end(), csr.weight.begin()));
  }
}

TEST(PackedLists, SayWhichGroupIsDamagedAndWhichCodeHasNoValue) {
  const Csr csr = sample_lists(3000, 10'000, 200);
  PackedImage image = pack(csr.view());
  std::vector<VertexId> target(csr.edges());
  std::vector<Weight> weight(csr.edges());
  const std::uint32_t code = image.words[image.index[3]];
  image.words[image.index[3]] |= 63;  // fields as wide as no id
  expect_error(
      ErrorCode::BadInput, [&] { unpack_edges(image.lists, 0, target, weight); }, "group 3");
  unpack_edges(image.lists, 0, std::span(target).first(3 * kGroup), {});
  image.words[image.index[3]] = code;
  image.codes[5] = std::byte{250};
  expect_error(
      ErrorCode::BadInput, [&] { unpack_edges(image.lists, 0, target, weight); }, "no value");
}

TEST(PackedLists, OfNothingAndOfOneVertex) {
  for (const VertexId vertices : {VertexId{0}, VertexId{1}}) {
    Csr csr;
    csr.offset = Array<EdgeId>(vertices + std::size_t{1}, EdgeId{0});
    const PackedImage image = pack(csr.view());
    EXPECT_EQ(image.lists.groups(), 0u);
    EXPECT_EQ(fault_of_index(image.index, 0, 1, image.words.size()), "");
    EXPECT_EQ(unpack(image.lists, 2, MemoryPool::unlimited()).edges(), 0u);
  }
}

}  // namespace
}  // namespace fathom::store
