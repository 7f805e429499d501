// Slotted pages with 64-bit vertex ids above 2^32: RVT, record ids, pages and their view.
#include <gtest/gtest.h>

#include "fathom/core/error.hpp"
#include "fathom/residency/edge_view.hpp"
#include "fathom/store/format.hpp"
#include "tests/wide/wide_graph.hpp"

namespace fathom::store {
namespace {

class WidePages : public ::testing::TestWithParam<WideShape> {
 protected:
  WidePages() : graph_(GetParam()), tables_(graph_.rvt, graph_.vertices) {}
  WideGraph graph_;
  RvtTables tables_;
};

TEST_P(WidePages, HaveASoundRvtThatFindsEveryVertex) {
  const auto& [rvt, vertices] = std::tie(graph_.rvt, graph_.vertices);
  ASSERT_GT(graph_.hub, kBeyond32Bits);
  EXPECT_EQ(fault_of_rvt(graph_.layout, rvt, vertices, graph_.edges), "");
  EXPECT_NE(fault_of_rvt(graph_.layout, rvt, vertices - kBeyond32Bits, graph_.edges), "");
  EXPECT_LE(tables_.hint.size(), 2 * rvt.size() + 1);
  std::mt19937_64 random(3);
  for (int i = 0; i < 20'000; ++i) {
    const VertexId v = random() % vertices;
    const std::uint32_t page = tables_.view().page_of(v);
    ASSERT_LE(rvt[page].start_vid, v);
    ASSERT_LT(v - rvt[page].start_vid, slots_of(rvt, page, vertices));
    ASSERT_EQ(rvt[page].lp_index, 0u);
  }
  EXPECT_EQ(tables_.view().page_of(graph_.hub), graph_.hub_page());
  EXPECT_EQ(tables_.view().last_page_of(graph_.hub), graph_.page - 1);
}

TEST_P(WidePages, KeepRecordIds) {
  VertexId largest = 0;
  for (std::size_t p = graph_.hub_page(); p <= graph_.page; ++p) {
    const std::vector<std::byte> page = graph_.encoded(tables_, p);
    EXPECT_EQ(fault_of_page(graph_.lists(), p, page.data()), "");
    std::vector<VertexId> target(graph_.rvt[p].entries);
    std::vector<Weight> weight(graph_.weights_of(p).size());
    decode_page(graph_.layout, graph_.rvt, p, page.data(), target, weight);
    EXPECT_TRUE(std::ranges::equal(target, graph_.targets_of(p)));
    EXPECT_TRUE(std::ranges::equal(weight, graph_.weights_of(p)));
    largest = std::max(largest, *std::max_element(target.begin(), target.end()));
  }
  EXPECT_GT(largest, kBeyond32Bits);
  // The slots say which vertices these are.
  const std::vector<std::byte> page = graph_.encoded(tables_, graph_.page);
  for (const std::uint64_t slot :
       {std::uint64_t{0}, WideGraph::kLists, graph_.shape.vertices_per_page - 1})
    EXPECT_EQ(slotted::load_u48(slotted::halves(graph_.layout.slot(page.data(), slot))),
              graph_.first + slot);
}

TEST_P(WidePages, AreSeenThroughTheirView) {
  std::vector<std::vector<std::byte>> pages;
  std::vector<const std::byte*> page_at(graph_.rvt.size(), nullptr);
  for (std::size_t p = graph_.hub_page(); p <= graph_.page; ++p) {
    pages.push_back(graph_.encoded(tables_, p));
    page_at[p] = pages.back().data();
  }
  const SlottedEdges edges = slotted_edges(page_at.data(), tables_.view(), graph_.layout);
  const auto see = [&](VertexId v, EdgeId first, EdgeId degree) {
    EdgeCursor cursor = edges.begin(v);
    ASSERT_EQ(cursor.end - cursor.pos, degree) << v;
    EdgeId at = first;
    for (SlottedSpan s; edges.next(cursor, s);)
      for (std::uint32_t k = 0; k < s.size; ++k, ++at) {
        ASSERT_EQ(s.target(k), graph_.target[at]) << at;
        ASSERT_EQ(s.weight(k), graph_.shape.weighted ? graph_.weight[at] : Weight{1}) << at;
      }
    EXPECT_EQ(at, first + degree);
  };
  see(graph_.hub, 0, graph_.hub_degree);
  for (std::uint64_t i = 0; i < WideGraph::kLists + 3; ++i)
    see(graph_.first + i, graph_.hub_degree + i * WideGraph::kDegree,
        i < WideGraph::kLists ? WideGraph::kDegree : 0);
  // A pass without the hub's first page shows the rest of its list, and says how long all of it is.
  page_at[graph_.hub_page()] = nullptr;
  EdgeCursor cursor = edges.begin(graph_.hub);
  EXPECT_EQ(cursor.end - cursor.pos, graph_.hub_degree);
  SlottedSpan s;
  ASSERT_TRUE(edges.next(cursor, s));
  EXPECT_EQ(s.target(0), graph_.target[graph_.layout.capacity()]);
}

INSTANTIATE_TEST_SUITE_P(EveryWidth, WidePages, ::testing::ValuesIn(kWideShapes));

// 2^61 + 1 offsets of 8 bytes are 8 bytes in 64-bit arithmetic.
TEST(WideHeader, RefusesACountThatWrapsAroundTheSizeOfItsSection) {
  Layout layout;
  Header& header = layout.header;
  header.vertices = VertexId{1} << 61;
  header.directed = true;
  const auto add = [&](SectionId id, std::uint64_t bytes) {
    SectionEntry entry{};
    name_of(id).copy(entry.name, sizeof entry.name);
    entry.offset = layout.sections.empty()
                       ? kPageBytes
                       : layout.sections.back().offset + padded(layout.sections.back().bytes);
    entry.bytes = bytes;
    entry.element_bytes = element_bytes(id);
    for (const SectionEntry& s : layout.sections) entry.first_checksum += blocks_of(s.bytes);
    layout.sections.push_back(entry);
  };
  add(SectionId::OutOffsets, 8);
  add(SectionId::OutTargets, 0);
  add(SectionId::Degrees, sizeof(DegreeSummary));
  layout.checksums_offset = 3 * kPageBytes;
  layout.file_bytes = layout.checksums_offset + 2 * sizeof(std::uint64_t);
  header.fingerprint = fingerprint_of(layout);
  const auto decode = [&] { decode_header("a.fg", encode_header(layout), layout.file_bytes); };
  try {
    decode();
    ADD_FAILURE() << "accepted";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::BadInput);
    EXPECT_NE(
        std::string(e.what()).find("'out.offsets' has 1 elements, expected 2305843009213693953"),
        std::string::npos)
        << e.what();
  }
  header.vertices = 0;
  header.fingerprint = fingerprint_of(layout);
  EXPECT_NO_THROW(decode());
}

}  // namespace
}  // namespace fathom::store
