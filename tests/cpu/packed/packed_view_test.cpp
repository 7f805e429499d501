// Warps unpack lists where they are: what a view shows is what was packed, wherever a piece of a
// list begins and ends, whatever its group's memory, and with words of any content nothing but the
// words of a block is read.
#include <gtest/gtest.h>

#include <map>

#include "fathom/ops/expand.hpp"
#include "fathom/ops/fold.hpp"
#include "fathom/residency/edge_view.hpp"
#include "fathom/residency/packed/packed_list_reader.hpp"
#include "tests/cpu/packed/packed_case.hpp"
#include "tests/suites/fiber_lanes.hpp"

namespace fathom {
namespace {

using testing::Fibers;
using testing::PackedCase;

struct ShownEdge {
  VertexId target;
  Weight weight;
  friend bool operator==(const ShownEdge&, const ShownEdge&) = default;
};
using Shown = std::map<EdgeId, ShownEdge>;  // by position: each once

/// body(lanes) by a warp, whose lanes go on in any order.
template <class Body>
void run_warp(const Body& body) {
  Fibers fibers(7);
  ASSERT_TRUE(fibers.run(32, 1u << 30, [&](std::uint32_t, const Fibers::Lanes& g) { body(g); }));
}

/// What the rounds of expand() and fold() see of [cursor.pos, cursor.end).
Shown shown_by(const PackedEdges& view, const EdgeCursor& list) {
  Shown shown;
  run_warp([&](const Fibers::Lanes& g) {
    EdgeCursor cursor = list;
    for (PackedSpan s; next_span(g, view, cursor, s);) {
      const EdgeId first = cursor.pos - s.size;
      const std::uint32_t lead = idle_lanes(g, s.lead());
      for (std::uint32_t base = 0; base < s.size + lead; base += 32) {
        const std::uint32_t i = base + g.rank() - lead;
        if (i >= s.size) continue;
        const bool is_new = shown.insert({first + i, {s.target(i), s.weight(i)}}).second;
        EXPECT_TRUE(is_new) << first + i;
      }
    }
    EXPECT_EQ(cursor.pos, list.end);
  });
  return shown;
}

Shown expected_of(const PackedCase& lists, EdgeId first, EdgeId last, bool weights = true) {
  Shown expected;
  for (EdgeId e = first; e < last; ++e)
    expected[e] = {lists.target[e], weights && !lists.weight.empty() ? lists.weight[e] : Weight{1}};
  return expected;
}

void expect_all_lists(const PackedCase& lists, const PackedEdges& view, bool weights = true) {
  for (std::size_t v = 0; v < lists.count(); ++v) {
    const EdgeId first = lists.offset[v], size = lists.offset[v + 1] - first;
    ASSERT_EQ(shown_by(view, view.begin(static_cast<VertexId>(v))),
              expected_of(lists, first, first + std::min(size, view.limit), weights))
        << "list " << v;
  }
}

TEST(PackedViews, ShowListsOfIdsOfAnyWidth) {
  for (std::uint32_t bits = 1; bits <= std::min(kIdBits, 40u); ++bits) {
    PackedCase lists;
    lists.make(bits, bits, 1024 + 64 * (bits % 16) + bits, 300);
    lists.locate();
    SCOPED_TRACE(bits);
    expect_all_lists(lists, lists.view());
  }
}

TEST(PackedViews, ShowBlocksOfEveryCoding) {
  PackedCase lists;
  lists.make(1, 20, 20000, 200);
  lists.locate();
  std::uint32_t offsets = 0, exceptions = 0, wide = 0, most = 0;
  for (const std::uint32_t block : lists.block) {
    const auto code = store::packed::Block::of(static_cast<std::uint16_t>(block));
    offsets += code.offsets ? 1 : 0;
    exceptions += code.exceptions > 0 ? 1 : 0;
    most = std::max(most, code.exceptions);
    wide += code.bits(64, 20) > 1024 ? 1 : 0;  // more than a word for each lane
  }
  EXPECT_GT(offsets, 0u);
  EXPECT_GT(exceptions, 0u);
  EXPECT_GT(wide, 0u);
  EXPECT_LT(wide, lists.block.size());
  expect_all_lists(lists, lists.view());
}

TEST(PackedViews, ShowBlocksOfMoreExceptionsThanThereAreLanes) {
  // Leaps so far apart in size that fields are narrow, and more than half of all leap.
  PackedCase lists;
  lists.lists.layout.id_bits = 30;
  lists.lists.vertices = VertexId{1} << 30;
  std::vector<VertexId> ids;
  std::vector<std::uint32_t> words((store::packed::kBlock * 30 + 63) / 32 + 8, 0);
  const store::packed::Block code{9, 40, false, 7};
  // Written by hand: a writer would not choose it.
  std::uint32_t bit = 32;
  const auto put = [&](std::uint64_t value, std::uint32_t width) {
    for (std::uint32_t i = 0; i < width; ++i, ++bit)
      if ((value >> i & 1) != 0) words[bit / 32] |= 1u << bit % 32;
  };
  words[0] = code.code();
  put(5, 30);
  ids.push_back(5);
  for (std::uint32_t i = 1; i < 64; ++i) put(i, 9);
  for (std::uint32_t i = 1; i < 64; ++i)
    ids.push_back(ids.back() + i + (i >= 20 && i < 60 ? i << 9 : 0));
  for (std::uint32_t i = 20; i < 60; ++i) {
    put(i, 6);
    put(i, 30 - 7 - 9);
  }
  lists.target = ids;
  lists.offset = {0, 64};
  lists.words = words;
  lists.words.resize((bit + 31) / 32 + store::packed::kPadWords);
  lists.index = {0, lists.words.size() - store::packed::kPadWords};
  lists.lists.edges = 64;
  lists.lists.offset = lists.offset.data();
  lists.lists.index = lists.index;
  lists.lists.words = lists.words.data();
  lists.locate();
  EXPECT_EQ(shown_by(lists.view(), {0, 64}), expected_of(lists, 0, 64));
}

TEST(PackedViews, ShowPiecesThatBeginAndEndAnywhere) {
  PackedCase lists;
  lists.make(3, 17, 2500, 400);
  lists.locate();
  const PackedEdges view = lists.view();
  const EdgeId edges = lists.target.size();
  for (const EdgeId from : {EdgeId{0}, EdgeId{960}, edges - 130})
    for (EdgeId first = from; first < from + 130; ++first)
      for (const EdgeId size : {0u, 1u, 31u, 33u, 64u, 70u}) {
        const EdgeId last = std::min<EdgeId>(first + size, edges);
        ASSERT_EQ(shown_by(view, {first, last}), expected_of(lists, first, last))
            << first << " to " << last;
      }
}

TEST(PackedViews, ShowNoMoreOfAListThanItsLimit) {
  PackedCase lists;
  lists.make(4, 22, 3000, 500);
  lists.locate();
  for (const EdgeId limit : {EdgeId{0}, EdgeId{1}, EdgeId{2}, EdgeId{65}, EdgeId{300}})
    expect_all_lists(lists, lists.view(true, limit));
}

TEST(PackedViews, ShowWeightsOfEveryKind) {
  struct Kind {
    std::uint32_t code_bytes;
    std::size_t distinct;
  };
  for (const Kind kind : {Kind{0, 5000}, Kind{1, 256}, Kind{2, 3000}})
    for (const bool near_weights : {false, true}) {
      PackedCase lists;
      lists.make(5 + kind.code_bytes, 14, 3333, 150);
      lists.weigh(6, kind.code_bytes, kind.distinct);
      lists.locate();
      SCOPED_TRACE(kind.code_bytes);
      expect_all_lists(lists, lists.view(false), false);
      lists.bring_near([](std::uint64_t g) { return g % 2 == 1; }, near_weights);
      expect_all_lists(lists, lists.view(true, kWholeList, near_weights));
    }
}

TEST(PackedViews, ReadGroupsWhereTheyAre) {
  PackedCase lists;
  lists.make(8, 24, 6000, 900);
  lists.locate();
  lists.bring_near([](std::uint64_t g) { return g == 0 || g == 3 || g == 5; }, false);
  expect_all_lists(lists, lists.view());
}

/// Lanes that remember the block they unpacked last, as the warps of a kernel do.
struct RememberingFibers : Fibers::Lanes {
  UnpackedBlock* last;
};

TEST(PackedViews, UnpackABlockOnceForAllListsThatFollowEachOtherInIt) {
  PackedCase lists;
  lists.make(24, 18, 5000, 12);
  lists.weigh(25, 1, 100);
  lists.locate();
  lists.bring_near([](std::uint64_t g) { return g == 2; }, true);
  const PackedEdges view = lists.view(true, kWholeList, true);
  Shown shown;
  std::size_t read = 0, spans = 0;
  run_warp([&](const Fibers::Lanes& lanes) {
    UnpackedBlock last;
    const RememberingFibers g{lanes, &last};
    for (std::size_t v = 0; v < lists.count(); ++v) {
      EdgeCursor cursor = view.begin(static_cast<VertexId>(v));
      for (PackedSpan s; next_span(g, view, cursor, s);) {
        if (g.rank() == 0) ++spans;
        if (g.rank() == 0 && s.reads_words()) ++read;
        const EdgeId first = cursor.pos - s.size;
        for (std::uint32_t base = 0; base < s.size + s.lead(); base += 32)
          if (const std::uint32_t i = base + g.rank() - s.lead(); i < s.size)
            shown.insert({first + i, {s.target(i), s.weight(i)}});
      }
    }
  });
  EXPECT_EQ(shown, expected_of(lists, 0, lists.target.size()));
  EXPECT_EQ(read, lists.block.size());
  EXPECT_GT(spans, 2 * read);
}

struct SumOfTargets {
  using Value = std::uint64_t;
  FATHOM_HD std::uint64_t identity() const { return 0; }
  FATHOM_HD std::uint64_t map(VertexId u, VertexId v, Weight w) const {
    return u + std::uint64_t{v} * 3 + static_cast<std::uint64_t>(w);
  }
  FATHOM_HD std::uint64_t combine(std::uint64_t a, std::uint64_t b) const { return a + b; }
};
struct PlaceOfEdge {
  VertexId* at;  // [edges of the list]
  FATHOM_HD bool visit(VertexId, VertexId v, Weight, EdgeId i) const {
    at[i] = v;
    return v % 2 == 0;
  }
};

TEST(PackedViews, ServeTraversals) {
  PackedCase lists;
  lists.make(9, 19, 2000, 600);
  lists.locate();
  const PackedEdges view = lists.view();
  const SumOfTargets sum;
  for (std::size_t u = 0; u < lists.count(); ++u) {
    const EdgeId first = lists.offset[u], last = lists.offset[u + 1];
    const auto source = static_cast<VertexId>(u);
    std::uint64_t expected = 0;
    for (EdgeId e = first; e < last; ++e) expected += sum.map(source, lists.target[e], 1);
    run_warp([&](const Fibers::Lanes& g) {
      const std::uint64_t value = fold_value(g, view, view.begin(source), source, sum);
      EXPECT_EQ(value, expected) << u;
    });
    std::vector<VertexId> at(last - first, kNoVertex);
    std::uint64_t kept = 0, rounds = 0;
    run_warp([&](const Fibers::Lanes& g) {
      expand(g, view, source, PlaceOfEdge{at.data()}, [&](const auto& lanes, VertexId, bool keep) {
        const std::uint32_t votes = lanes.ballot(keep);
        if (lanes.rank() == 0) kept += static_cast<std::uint64_t>(std::popcount(votes));
        if (lanes.rank() == 0) ++rounds;
      });
    });
    const std::vector<VertexId> all(lists.target.begin() + static_cast<std::ptrdiff_t>(first),
                                    lists.target.begin() + static_cast<std::ptrdiff_t>(last));
    ASSERT_EQ(at, all) << u;
    ASSERT_EQ(kept, static_cast<std::uint64_t>(std::count_if(
                        all.begin(), all.end(), [](VertexId v) { return v % 2 == 0; })));
    ASSERT_LE(rounds, all.size() / 32 + 2);
  }
}

/// Lanes that count what they read.
struct MeteredFibers : Fibers::Lanes {
  LinkMeter* meter;
};
struct Nothing {
  static constexpr bool kReadsWeights = true;
  FATHOM_HD bool visit(VertexId, VertexId, Weight) const { return false; }
};

TEST(PackedViews, CountABlocksWordsOnceAndItsWeightsByRounds) {
  PackedCase lists;
  lists.make(10, 21, 64, 64);
  lists.weigh(11, 2, 300);
  lists.locate();
  const PackedEdges view = lists.view();
  const auto code = store::packed::Block::of(static_cast<std::uint16_t>(lists.block[0]));
  const std::uint64_t bytes = (code.bits(64, 21) + 31) / 32 * 4;
  const auto first = reinterpret_cast<std::uintptr_t>(lists.words.data() + 1);
  const auto count = [&](std::uintptr_t far, std::uintptr_t end) {
    LinkMeter meter{far, end};
    run_warp([&](const Fibers::Lanes& g) {
      expand(MeteredFibers{g, &meter}, view, EdgeCursor{0, 64}, 0, Nothing{},
             [](const auto&, VertexId, bool) {});
    });
    return meter;
  };
  const LinkMeter of_words =
      count(reinterpret_cast<std::uintptr_t>(lists.words.data()),
            reinterpret_cast<std::uintptr_t>(lists.words.data() + lists.words.size()));
  EXPECT_EQ(of_words.bytes, ((first + bytes - 1) / 32 - first / 32 + 1) * 32);
  EXPECT_EQ(of_words.requests, (first + bytes - 1) / 128 - first / 128 + 1);
  const auto codes = reinterpret_cast<std::uintptr_t>(lists.codes.data());
  const LinkMeter of_codes = count(codes, codes + 128);
  EXPECT_EQ(of_codes.bytes,
            ((codes + 63) / 32 - codes / 32 + 1 + (codes + 127) / 32 - (codes + 64) / 32 + 1) * 32);
}

TEST(PackedViews, ReadNothingButTheirWordsWhateverTheseAre) {
  std::mt19937_64 random(12);
  for (int turn = 0; turn < 60; ++turn) {
    PackedCase lists;
    lists.make(random(), 1 + static_cast<std::uint32_t>(turn) % 32, 1500, 200);
    lists.locate();
    for (int flips = 0; flips < 200; ++flips)
      lists.words[random() % lists.words.size()] ^= 1u << random() % 32;
    const EdgeId edges = lists.target.size();
    EXPECT_EQ(shown_by(lists.view(), {0, edges}).size(), edges);  // of any ids
  }
}

TEST(PackedListReaders, ReadListsInAnyOrder) {
  PackedCase lists;
  lists.make(21, 18, 5000, 1500);
  lists.weigh(22, 2, 400);
  PackedListReader reader(lists.lists);
  std::mt19937_64 random(23);
  for (int turn = 0; turn < 400; ++turn) {
    const std::size_t v = random() % lists.count();
    Shown shown;
    EdgeId at = lists.offset[v];
    EXPECT_EQ(reader.degree(static_cast<VertexId>(v)), lists.offset[v + 1] - at);
    reader.read(static_cast<VertexId>(v), [&](const PlainSpan& s) {
      for (std::uint32_t i = 0; i < s.size; ++i) shown[at++] = {s.target(i), s.weight(i)};
    });
    ASSERT_EQ(shown, expected_of(lists, lists.offset[v], lists.offset[v + 1])) << v;
  }
}

}  // namespace
}  // namespace fathom
