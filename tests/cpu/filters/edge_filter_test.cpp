// What a filter keeps, how it is written, and the bits that say so.
#include "fathom/residency/filtered/edge_filter.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "fathom/residency/edge_view.hpp"
#include "fathom/residency/filtered/kept_edges.hpp"
#include "tests/cpu/filters/filtered_files.hpp"
#include "tests/suites/expect_error.hpp"

namespace fathom {
namespace {

using testing::expect_error;

TEST(EdgeFilter, WindowsHaveTheirFirstMomentAndNotTheirLast) {
  const EdgeFilter window{10, 20, {}, {}};
  EXPECT_FALSE(window.keeps({0, 9, 0}));
  EXPECT_TRUE(window.keeps({0, 10, 0}));
  EXPECT_TRUE(window.keeps({0, 19, 5}));
  EXPECT_FALSE(window.keeps({0, 20, 0}));
}

TEST(EdgeFilter, AnEdgeIsThereFromItsFirstTimestampUntilItsSecondOrForGood) {
  const EdgeFilter moment{{}, {}, 10, {}};
  EXPECT_TRUE(moment.keeps({0, 10, 11}));
  EXPECT_FALSE(moment.keeps({0, 5, 10}));
  EXPECT_TRUE(moment.keeps({0, 5, 0}));
  EXPECT_FALSE(moment.keeps({0, 11, 0}));
  EXPECT_FALSE(moment.keeps({0, 10, 10}));
}

TEST(EdgeFilter, AllThatIsGivenHasToHold) {
  const EdgeFilter both{10, {}, 15, {{2, 4}}};
  EXPECT_TRUE(both.keeps({3, 12, 0}));
  EXPECT_FALSE(both.keeps({5, 12, 0}));
  EXPECT_FALSE(both.keeps({3, 9, 0}));
  EXPECT_FALSE(both.keeps({3, 16, 0}));
  EXPECT_TRUE(EdgeFilter{}.keeps({7, 0, 0}));
  EXPECT_TRUE(EdgeFilter{}.keeps_all());
}

TEST(EdgeFilter, TypesAreNumbersAndRangesThatAreJoined) {
  using Ranges = std::vector<TypeRange>;
  EXPECT_EQ(type_ranges("3"), (Ranges{{3, 3}}));
  EXPECT_EQ(type_ranges("9,1,2,7-8"), (Ranges{{1, 2}, {7, 9}}));
  EXPECT_EQ(type_ranges("5-9,6,8-12"), (Ranges{{5, 12}}));
  EXPECT_EQ(type_ranges("0-4294967295,7"), (Ranges{{0, 4294967295u}}));
  EXPECT_EQ(to_string({10, 20, 15, type_ranges("1-2,7")}),
            "t1 from 10, t1 before 20, there at 15, types 1-2,7");
}

TEST(EdgeFilter, TypesThatAreNoneAreRefusedByName) {
  for (const std::string text : {"", "a", "1,", ",1", "1,,2", "-3", "3-", "1-2-3", "1.5", " 1"})
    expect_error(
        ErrorCode::Usage, [&] { type_ranges(text); }, "such as 1,2,7-9: not '");
  expect_error(
      ErrorCode::Usage, [] { type_ranges("1,4294967296"); }, "32 bits in '4294967296'");
  expect_error(
      ErrorCode::Usage, [] { type_ranges("9-7"); }, "smaller one in '9-7'");
}

/// Lists as a generator draws them, and which of their entries are kept.
struct KeptLists {
  std::vector<EdgeId> offset{0};
  std::vector<VertexId> target;
  std::vector<bool> kept;
  std::vector<EdgeFields> fields;

  KeptLists() {
    const auto n = *rc::gen::inRange<std::size_t>(0, 12);
    const int dense = *rc::gen::element(0, 1, 50, 99, 100);
    for (std::size_t v = 0; v < n; ++v) {
      const auto degree = *rc::gen::inRange<std::size_t>(0, 200);
      for (std::size_t i = 0; i < degree; ++i) {
        target.push_back(static_cast<VertexId>(target.size()));
        kept.push_back(*rc::gen::inRange(0, 100) < dense);
        fields.push_back({kept.back() ? 1u : 0u, 0, 0});
      }
      offset.push_back(target.size());
    }
  }
};

RC_GTEST_PROP(KeptEdges, AreWhatTheirBitsSay, ()) {
  const KeptLists lists;
  const Context ctx = testing::two_threads();
  const KeptEdges kept = kept_of_fields(ctx, lists.fields, {{}, {}, {}, {{1, 1}}});
  const CsrView all{static_cast<VertexId>(lists.offset.size() - 1), lists.target.size(),
                    lists.offset.data(), lists.target.data(), nullptr};
  const Array<EdgeId> offset = kept_offsets(ctx, kept, all.offset, all.vertices);
  const FilteredEdges view{offset.data(), all.offset, all.target, nullptr, kept.bits.data()};
  const Csr copy = kept_lists(ctx, kept, all, false);
  RC_ASSERT(kept.kept == static_cast<EdgeId>(std::ranges::count(lists.kept, true)));
  for (VertexId v = 0; v < all.vertices; ++v) {
    std::vector<VertexId> expected;
    for (EdgeId e = all.offset[v]; e < all.offset[v + 1]; ++e)
      if (lists.kept[e]) expected.push_back(all.target[e]);
    RC_ASSERT(count_kept(kept.bits.data(), all.offset[v], all.offset[v + 1]) == expected.size());
    RC_ASSERT(offset[v + 1] - offset[v] == expected.size());
    std::vector<VertexId> found, copied, limited;
    PlainSpan s;
    for (auto cursor = view.begin(v); view.next(cursor, s);) {
      // Runs are as long as can be.
      const EdgeId end = s.target(s.size - 1) + EdgeId{1};
      const bool longest = end == all.offset[v + 1] || !lists.kept[end];
      RC_ASSERT(longest);
      for (std::uint32_t i = 0; i < s.size; ++i) found.push_back(s.target(i));
    }
    RC_ASSERT(found == expected);
    copied.assign(copy.target.data() + copy.offset[v], copy.target.data() + copy.offset[v + 1]);
    RC_ASSERT(copied == expected);
    FilteredEdges few = view;
    few.limit = 3;
    for (auto cursor = few.begin(v); few.next(cursor, s);)
      for (std::uint32_t i = 0; i < s.size; ++i) limited.push_back(s.target(i));
    expected.resize(std::min<std::size_t>(expected.size(), 3));
    RC_ASSERT(limited == expected);
  }
}

}  // namespace
}  // namespace fathom
