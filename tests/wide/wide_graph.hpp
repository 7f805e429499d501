// Slotted pages of graphs with more than 2^32 vertices. The graphs are synthetic: of all their
// pages only those of a few lists and of one long list are ever made.
#pragma once

#include <random>

#include "fathom/store/slotted/slotted_pages.hpp"

namespace fathom::store {

static_assert(sizeof(VertexId) == 8, "this is about 64-bit vertex ids");

inline constexpr VertexId kBeyond32Bits = VertexId{1} << 32;

struct WideShape {
  int pid_bytes, slot_bytes;
  std::uint64_t pages, vertices_per_page;
  bool weighted;
};

/// Small pages of as many vertices each, none of which has edges; but the last page but one is that
/// of a few lists, after a vertex with three large pages.
class WideGraph {
 public:
  static constexpr std::uint64_t kLists = 40, kDegree = 50;
  static constexpr std::size_t kHubPages = 3;
  static constexpr std::uint32_t kOnLastHubPage = 7;

  explicit WideGraph(const WideShape& its)
      : shape(its), layout(layout_of({1u << 20, its.pid_bytes, its.slot_bytes}, its.weighted)) {
    VertexId next = 0;
    auto small = [&](std::uint32_t entries) {
      rvt.push_back({next, 0, 0, entries, 0, 0});
      next += shape.vertices_per_page;
    };
    while (rvt.size() + kHubPages + 2 < shape.pages) small(0);
    hub = next;
    for (std::uint32_t i = 0; i < kHubPages; ++i)
      rvt.push_back(
          {next, i, kHubPages, i + 1 < kHubPages ? layout.capacity() : kOnLastHubPage, 0, 0});
    ++next;
    page = rvt.size();
    first = next;
    small(kLists * kDegree);
    small(0);
    vertices = next;
    hub_degree = (kHubPages - 1) * EdgeId{layout.capacity()} + kOnLastHubPage;
    edges = hub_degree + kLists * kDegree;

    std::mt19937_64 random(4);
    offset.assign(shape.vertices_per_page + 1, kLists * kDegree);
    for (std::uint64_t v = 0; v < kLists; ++v) offset[v] = v * kDegree;
    auto add = [&](VertexId v) {
      target.push_back(v);
      if (shape.weighted) weight.push_back(static_cast<Weight>(random() % 1000));
    };
    for (EdgeId i = 0; i < hub_degree; ++i) add(vertices / hub_degree * i + random() % 1000);
    for (std::uint64_t i = 0; i < kLists * kDegree; ++i)
      add(i % 5 == 0 ? hub : i % 5 == 1 ? random() % 100 : random() % vertices);
  }

  std::size_t hub_page() const { return page - kHubPages; }
  /// The first edge on a page from hub_page() on.
  EdgeId first_edge(std::size_t p) const {
    return std::min<EdgeId>((p - hub_page()) * EdgeId{layout.capacity()}, hub_degree);
  }
  std::span<const VertexId> targets_of(std::size_t p) const {
    return std::span(target).subspan(first_edge(p), rvt[p].entries);
  }
  std::span<const Weight> weights_of(std::size_t p) const {
    if (!shape.weighted) return {};
    return std::span(weight).subspan(first_edge(p), rvt[p].entries);
  }
  /// Page p, of the hub or of the lists, as the encoder makes it.
  std::vector<std::byte> encoded(const RvtTables& tables, std::size_t p) const {
    std::vector<std::byte> bytes(layout.page_bytes);
    PageEncoder(layout, rvt, tables).encode(p, offset, targets_of(p), weights_of(p), bytes);
    return bytes;
  }
  SlottedLists lists() const {
    SlottedLists lists;
    lists.layout = layout;
    lists.vertices = vertices;
    lists.edges = edges;
    lists.rvt = rvt;
    return lists;
  }

  WideShape shape;
  SlottedLayout layout;
  std::vector<RvtEntry> rvt;
  VertexId hub = 0, first = 0;  // the vertex of large pages; the first of the lists behind it
  VertexId vertices = 0;
  EdgeId edges = 0, hub_degree = 0;
  std::size_t page = 0;          // of the lists
  std::vector<EdgeId> offset;    // of the vertices of that page, from its first edge
  std::vector<VertexId> target;  // of all edges: the hub's, then the lists'
  std::vector<Weight> weight;
};

inline constexpr WideShape kWideShapes[] = {{3, 3, 90'000, 70'000, false},
                                            {3, 3, 90'000, 65'000, true},
                                            {2, 4, 65'000, 70'000, false},
                                            {4, 2, 110'000, 60'000, true}};

}  // namespace fathom::store
