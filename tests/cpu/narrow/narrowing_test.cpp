// Lists in CSR narrowed a piece at a time: what files have, wherever a piece begins and ends.
#include <gtest/gtest.h>

#include <vector>

#include "fathom/store/narrow/narrow_image.hpp"
#include "fathom/store/narrow/narrowing.hpp"
#include "tests/cpu/narrow/narrow_files.hpp"
#include "tests/suites/expect_error.hpp"

namespace fathom::store {
namespace {

using testing::expect_error;

std::vector<std::uint64_t> in_pieces_of(const Narrowing& narrowing, const CsrView& csr,
                                        std::size_t piece) {
  std::vector<std::uint64_t> words(static_cast<std::size_t>(narrowing.layout().words(csr.edges)),
                                   ~std::uint64_t{0});
  for (std::size_t at = 0; at < words.size(); at += piece)
    narrowing.write(csr, at, std::span(words).subspan(at, std::min(piece, words.size() - at)));
  return words;
}

TEST_F(NarrowStore, IsWhatNarrowingMakesInPiecesOfAnySize) {
  Sample two_weights = random_sample(300, 1001, true), none = random_sample(70, 640, false);
  for (std::size_t i = 0; i < two_weights.edges.size(); ++i)
    two_weights.edges[i].w = i % 3 == 0 ? 2.5f : -1;
  for (const Sample& sample : {random_sample(70'000, 5000, true), two_weights, none, Sample()}) {
    write_sample(csr_, sample);
    repack(csr_, narrow_, to_narrow());
    const auto csr = Store::open(csr_), narrow = Store::open(narrow_);
    const NarrowLists stored = *narrow->narrow_out();
    for (const int threads : {1, 3}) {
      const Narrowing narrowing(csr->out(), 0, threads);
      EXPECT_EQ(narrowing.layout(), stored.layout);
      EXPECT_TRUE(std::ranges::equal(narrowing.values(), stored.values));
      for (const std::size_t piece : {1, 7, 24, 1000, 1 << 20})
        EXPECT_TRUE(std::ranges::equal(in_pieces_of(narrowing, csr->out(), piece), stored.words))
            << piece;
    }
  }
}

TEST_F(NarrowStore, CanBeNarrowedToMoreBitsThanIdsTake) {
  write_sample(csr_, random_sample(70'000, 5000, true));
  const auto csr = Store::open(csr_);
  for (const int bits : {20, 24, 28, 32}) {
    const Narrowing narrowing(csr->out(), bits, 2);
    ASSERT_EQ(narrowing.layout().id_bits, bits);
    const auto words = in_pieces_of(narrowing, csr->out(), 100);
    const NarrowLists lists{
        narrowing.layout(), csr->out().vertices, csr->out().edges, csr->out().offset, words,
        narrowing.values(), "made here"};
    expect_same_lists(csr->out(), lists);
  }
}

TEST_F(NarrowStore, RefusesToNarrowWhatHasNoRoom) {
  write_sample(csr_, random_sample(70'000, 5000, false));
  const auto csr = Store::open(csr_);
  expect_error(
      ErrorCode::Usage, [&] { Narrowing(csr->out(), 16, 1); },
      "ids of 16 bits do not number 70,000 vertices, which take 20");
  for (const int bits : {-1, 12, 18, 36, 64})
    expect_error(
        ErrorCode::Usage, [&] { Narrowing(csr->out(), bits, 1); }, std::to_string(bits));
  Sample many;
  many.vertices = 300;
  many.weighted = true;
  for (VertexId i = 0; i < 66'000; ++i)
    many.edges.push_back({i / 300, i % 300, static_cast<Weight>(i)});
  write_sample(csr_, many);
  const auto weighted = Store::open(csr_);
  for (const int threads : {1, 3})
    expect_error(
        ErrorCode::Usage, [&] { Narrowing(weighted->out(), 0, threads); },
        "codes for 65,536 distinct weights");
}

}  // namespace
}  // namespace fathom::store
