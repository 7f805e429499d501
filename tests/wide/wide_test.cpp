// Slotted pages of graphs with more than 2^32 vertices, with 64-bit vertex ids: RVT, record ids,
// pages and their view. The graphs are synthetic: of all their pages only the ones looked at exist.
#include <gtest/gtest.h>

#include <random>

#include "fathom/residency/edge_view.hpp"
#include "fathom/store/format.hpp"
#include "fathom/store/slotted_pages.hpp"

namespace fathom::store {
namespace {

static_assert(sizeof(VertexId) == 8, "this is about 64-bit vertex ids");

constexpr VertexId kBeyond32Bits = VertexId{1} << 32;

struct Shape {
  int pid_bytes, slot_bytes;
  std::uint64_t pages, vertices_per_page;
  bool weighted;
};

/// Small pages of as many vertices each, none of which has edges; but the last page but one is that
/// of a few lists, after a vertex with three large pages.
class WideGraph : public ::testing::TestWithParam<Shape> {
 protected:
  WideGraph()
      : layout_(layout_of({1u << 20, shape().pid_bytes, shape().slot_bytes}, shape().weighted)) {
    VertexId next = 0;
    auto small = [&](std::uint32_t entries) {
      rvt_.push_back({next, 0, 0, entries, 0, 0});
      next += shape().vertices_per_page;
    };
    while (rvt_.size() + 5 < shape().pages) small(0);
    hub_ = next;
    for (std::uint32_t i = 0; i < 3; ++i)
      rvt_.push_back({next, i, 3, i < 2 ? layout_.capacity() : 7, 0, 0});
    ++next;
    page_ = rvt_.size();
    first_ = next;
    small(kLists * kDegree);
    small(0);
    vertices_ = next;
    edges_ = 2 * EdgeId{layout_.capacity()} + 7 + kLists * kDegree;

    std::mt19937_64 random(4);
    offset_.assign(shape().vertices_per_page + 1, kLists * kDegree);
    for (std::uint64_t v = 0; v < kLists; ++v) offset_[v] = v * kDegree;
    for (std::uint64_t i = 0; i < kLists * kDegree; ++i) {
      target_.push_back(i % 5 == 0 ? hub_ : i % 5 == 1 ? random() % 100 : random() % vertices_);
      if (shape().weighted) weight_.push_back(static_cast<Weight>(random() % 1000));
    }
  }
  const Shape& shape() const { return GetParam(); }

  /// Page page_, as the encoder makes it.
  std::vector<std::byte> encoded(const RvtTables& tables) const {
    std::vector<std::byte> page(layout_.page_bytes);
    PageEncoder(layout_, rvt_, tables).encode(page_, offset_, target_, weight_, page);
    return page;
  }

  static constexpr std::uint64_t kLists = 40, kDegree = 50;
  SlottedLayout layout_;
  std::vector<RvtEntry> rvt_;
  VertexId hub_ = 0, first_ = 0, vertices_ = 0;
  EdgeId edges_ = 0;
  std::size_t page_ = 0;
  std::vector<EdgeId> offset_;
  std::vector<VertexId> target_;
  std::vector<Weight> weight_;
};

TEST_P(WideGraph, HasASoundRvtThatFindsEveryVertex) {
  ASSERT_GT(first_, kBeyond32Bits);
  EXPECT_EQ(fault_of_rvt(layout_, rvt_, vertices_, edges_), "");
  EXPECT_NE(fault_of_rvt(layout_, rvt_, vertices_ - kBeyond32Bits, edges_), "");
  const RvtTables tables(rvt_, vertices_);
  EXPECT_LE(tables.hint.size(), 2 * rvt_.size() + 1);
  std::mt19937_64 random(3);
  for (int i = 0; i < 20'000; ++i) {
    const VertexId v = random() % vertices_;
    const std::uint32_t page = tables.view().page_of(v);
    ASSERT_LE(rvt_[page].start_vid, v);
    ASSERT_LT(v - rvt_[page].start_vid, slots_of(rvt_, page, vertices_));
    ASSERT_EQ(rvt_[page].lp_index, 0u);
  }
  EXPECT_EQ(tables.view().page_of(hub_), page_ - 3);
  EXPECT_EQ(tables.view().last_page_of(hub_), page_ - 1);
}

TEST_P(WideGraph, KeepsItsRecordIdsOnPages) {
  const RvtTables tables(rvt_, vertices_);
  const std::vector<std::byte> page = encoded(tables);
  SlottedLists lists;
  lists.layout = layout_;
  lists.vertices = vertices_;
  lists.edges = edges_;
  lists.rvt = rvt_;
  EXPECT_EQ(fault_of_page(lists, page_, page.data()), "");
  std::vector<VertexId> target(target_.size());
  std::vector<Weight> weight(weight_.size());
  decode_page(layout_, rvt_, page_, page.data(), target, weight);
  EXPECT_EQ(target, target_);
  EXPECT_EQ(weight, weight_);
  EXPECT_GT(*std::max_element(target.begin(), target.end()), kBeyond32Bits);
  // The slots say which vertices these are.
  for (const std::uint64_t slot : {std::uint64_t{0}, kLists, shape().vertices_per_page - 1})
    EXPECT_EQ(slotted::load_u48(slotted::halves(layout_.slot(page.data(), slot))), first_ + slot);
}

TEST_P(WideGraph, IsSeenThroughItsView) {
  const RvtTables tables(rvt_, vertices_);
  const std::vector<std::byte> page = encoded(tables);
  std::vector<const std::byte*> page_at(rvt_.size(), nullptr);
  page_at[page_] = page.data();
  const SlottedEdges edges = slotted_edges(page_at.data(), tables.view(), layout_);
  for (std::uint64_t i = 0; i < kLists + 3; ++i) {
    std::vector<VertexId> seen;
    EdgeCursor cursor = edges.begin(first_ + i);
    ASSERT_EQ(cursor.end - cursor.pos, i < kLists ? kDegree : 0);
    SlottedSpan s;
    while (edges.next(cursor, s))
      for (std::uint32_t k = 0; k < s.size; ++k) {
        const std::size_t at = i * kDegree + seen.size();
        EXPECT_EQ(s.weight(k), shape().weighted ? weight_[at] : Weight{1});
        seen.push_back(s.target(k));
      }
    if (i < kLists) {
      const auto begin = target_.begin() + static_cast<std::ptrdiff_t>(i * kDegree);
      EXPECT_EQ(seen, std::vector<VertexId>(begin, begin + kDegree)) << i;
    } else {
      EXPECT_TRUE(seen.empty());
    }
  }
  // The hub's pages are not here: its list is known to be long, and nothing of it is shown.
  EdgeCursor hub = edges.begin(hub_);
  EXPECT_EQ(hub.end - hub.pos, 2 * EdgeId{layout_.capacity()} + 7);
  SlottedSpan s;
  EXPECT_FALSE(edges.next(hub, s));
}

INSTANTIATE_TEST_SUITE_P(EveryWidth, WideGraph,
                         ::testing::Values(Shape{3, 3, 90'000, 70'000, false},
                                           Shape{3, 3, 90'000, 65'000, true},
                                           Shape{2, 4, 65'000, 70'000, false},
                                           Shape{4, 2, 110'000, 60'000, true}));

}  // namespace
}  // namespace fathom::store
