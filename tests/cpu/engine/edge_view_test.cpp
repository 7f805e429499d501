// Every edge layout shows the same lists, and the traversal bodies see each edge once with any
// number of lanes.
#include "fathom/residency/edge_view.hpp"

#include <gtest/gtest.h>

#include <mutex>

#include "fathom/core/random.hpp"
#include "fathom/ops/expand.hpp"
#include "fathom/ops/fold.hpp"
#include "fathom/store/slotted/slotted.hpp"
#include "tests/cpu/engine/sample_graph.hpp"
#include "tests/suites/thread_lanes.hpp"

namespace fathom {
namespace {

using testing::edges_of;
using testing::SeenEdge;

constexpr VertexId kVertices = 300;
constexpr std::uint32_t kPageShift = 4;
constexpr std::uint32_t kUnitShift = 3;

class EdgeViews : public ::testing::Test {
 protected:
  EdgeViews() {
    for (EdgeId e = 0; e < csr_.edges(); ++e) pairs_.push_back({csr_.target[e], csr_.weight[e]});
    for (EdgeId e = 0; e < csr_.edges(); e += EdgeId{1} << kPageShift) {
      page_target_.push_back(csr_.target.data() + e);
      page_weight_.push_back(csr_.weight.data() + e);
    }
    for (VertexId v = 0; v < kVertices; ++v) everyone_.push_back(v);
    for (const VertexId v : csr_.target) wide_.insert(wide_.end(), {std::uint32_t(v), 0});
    copy_every_third_list();
  }
  FlatEdges flat() const {
    return {csr_.offset.data(), csr_.target.data(), csr_.weight.data(), 0, limit_};
  }
  InterleavedEdges interleaved() const { return {csr_.offset.data(), pairs_.data(), limit_}; }
  PagedEdges paged() const {
    return {csr_.offset.data(), page_target_.data(), page_weight_.data(), kPageShift, limit_};
  }

  NarrowEdges wide() const {
    return {csr_.offset.data(), wide_.data(), csr_.weight.data(), 64, 64, limit_};
  }
  /// Every third list has a copy whose targets, and their weights, are shifted by kVertices.
  CachedEdges<FlatEdges> cached_flat() const {
    return {
        flat(), {nullptr, near_target_.data(), near_weight_.data()}, near_at_.data(), kUnitShift};
  }
  CachedEdges<InterleavedEdges> cached_pairs() const {
    return {interleaved(), {nullptr, near_pairs_.data()}, near_at_.data(), kUnitShift};
  }

  void copy_every_third_list() {
    for (VertexId v = 0; v < kVertices; ++v) {
      near_at_.push_back(CachedEdges<FlatEdges>::kNotCached);
      if (v % 3 != 0) continue;
      near_at_.back() = static_cast<std::uint32_t>(near_target_.size() >> kUnitShift);
      for (EdgeId e = csr_.offset[v]; e < csr_.offset[v + 1]; ++e) {
        near_target_.push_back(csr_.target[e] + kVertices);
        near_weight_.push_back(csr_.weight[e] + kVertices);
      }
      while (near_target_.size() % (1u << kUnitShift) != 0) {
        near_target_.push_back(kNoVertex);  // padding that no view may show
        near_weight_.push_back(-1);
      }
    }
    for (std::size_t i = 0; i < near_target_.size(); ++i)
      near_pairs_.push_back({near_target_[i], near_weight_[i]});
  }

  /// What the cached views show: near lists are told by their shifted entries.
  std::vector<SeenEdge> with_copies() const {
    std::vector<SeenEdge> edges;
    for (SeenEdge e : edges_of(csr_.view(), everyone_, limit_)) {
      if (e.source % 3 == 0) {
        e.target += kVertices;
        e.weight += kVertices;
      }
      edges.push_back(e);
    }
    std::sort(edges.begin(), edges.end());
    return edges;
  }

  template <EdgeView E>
  static std::vector<SeenEdge> shown_by(const E& view) {
    std::vector<SeenEdge> edges;
    for (VertexId u = 0; u < kVertices; ++u) {
      auto cursor = view.begin(u);
      typename E::Span s;
      while (view.next(cursor, s))
        for (std::uint32_t i = 0; i < s.size; ++i) edges.push_back({u, s.target(i), s.weight(i)});
    }
    std::sort(edges.begin(), edges.end());
    return edges;
  }

  Csr csr_ = testing::sample_graph(kVertices, 9, 4);
  std::vector<InterleavedEdges::Pair> pairs_;
  std::vector<const VertexId*> page_target_;
  std::vector<const Weight*> page_weight_;
  std::vector<VertexId> everyone_;
  std::vector<std::uint32_t> wide_;  // ids of 8 bytes
  std::vector<std::uint32_t> near_at_;
  std::vector<VertexId> near_target_;
  std::vector<Weight> near_weight_;
  std::vector<InterleavedEdges::Pair> near_pairs_;
  EdgeId limit_ = kWholeList;
};

TEST_F(EdgeViews, AllLayoutsShowTheSameLists) {
  for (const EdgeId limit : {kWholeList, EdgeId{0}, EdgeId{2}, EdgeId{40}}) {
    limit_ = limit;
    const auto expected = edges_of(csr_.view(), everyone_, limit);
    EXPECT_EQ(shown_by(flat()), expected) << limit;
    EXPECT_EQ(shown_by(interleaved()), expected) << limit;
    EXPECT_EQ(shown_by(paged()), expected) << limit;
    EXPECT_EQ(shown_by(wide()), expected) << limit;
  }
}

TEST_F(EdgeViews, CachedListsAreShownFromTheirCopiesAndOthersFromAfar) {
  for (const EdgeId limit : {kWholeList, EdgeId{0}, EdgeId{2}, EdgeId{40}}) {
    limit_ = limit;
    EXPECT_EQ(shown_by(cached_flat()), with_copies()) << limit;
    EXPECT_EQ(shown_by(cached_pairs()), with_copies()) << limit;
  }
}

TEST_F(EdgeViews, PagesSplitBetweenTwoPassesShowEachEdgeOnce) {
  std::vector<SeenEdge> seen;
  const auto all = page_target_;
  for (const std::size_t parity : {0u, 1u}) {
    page_target_ = all;
    for (std::size_t p = 0; p < all.size(); ++p)
      if (p % 2 != parity) page_target_[p] = nullptr;
    const auto part = shown_by(paged());
    seen.insert(seen.end(), part.begin(), part.end());
  }
  std::sort(seen.begin(), seen.end());
  EXPECT_EQ(seen, edges_of(csr_.view(), everyone_));
}

/// Slotted pages of a graph with a directory that says where each is.
struct Slotted {
  Slotted(const CsrView& csr, const store::SlottedOptions& options)
      : image(store::paginate(csr, options)), tables(image.rvt, csr.vertices) {
    for (std::size_t p = 0; p < image.rvt.size(); ++p) page_at.push_back(image.lists.page(p));
  }
  SlottedEdges view(EdgeId limit = kWholeList) const {
    return slotted_edges(page_at.data(), tables.view(), image.lists.layout, limit);
  }
  store::SlottedImage image;
  store::RvtTables tables;
  std::vector<const std::byte*> page_at;
};

/// Every width of ids; pages of which the hubs take several, and pages that hold everything.
const std::vector<store::SlottedOptions> kPaginations{{64, 3, 3},  {66, 3, 3},   {80, 2, 4},
                                                      {128, 4, 2}, {128, 3, 3},  {512, 2, 2},
                                                      {142, 2, 2}, {4096, 3, 3}, {1 << 20, 3, 3}};

TEST_F(EdgeViews, SlottedPagesShowTheSameLists) {
  for (const bool weighted : {true, false}) {
    CsrView csr = csr_.view();
    if (!weighted) csr.weight = nullptr;
    for (const auto& options : kPaginations) {
      const Slotted slotted(csr, options);
      for (const EdgeId limit : {kWholeList, EdgeId{0}, EdgeId{2}, EdgeId{40}})
        EXPECT_EQ(shown_by(slotted.view(limit)), edges_of(csr, everyone_, limit))
            << options.page_bytes << ", at most " << limit;
    }
  }
}

TEST_F(EdgeViews, SlottedCursorsSpanAsManyPositionsAsTheListIsLong) {
  for (const auto& options : kPaginations) {
    Slotted slotted(csr_.view(), options);
    for (VertexId u = 0; u < kVertices; ++u) {
      const EdgeCursor list = slotted.view().begin(u);
      ASSERT_EQ(list.end - list.pos, csr_.view().degree(u)) << options.page_bytes;
      // Any part of the positions is that part of the list: GPU kernels cut hubs into pieces.
      for (EdgeId from = 0; from < list.end - list.pos; from += 7) {
        EdgeCursor piece{list.pos + from, std::min(list.end, list.pos + from + 7)};
        EdgeId at = csr_.offset[u] + from;
        SlottedSpan s;
        while (slotted.view().next(piece, s))
          for (std::uint32_t i = 0; i < s.size; ++i, ++at) {
            ASSERT_EQ(s.target(i), csr_.target[at]);
            ASSERT_EQ(s.weight(i), csr_.weight[at]);
          }
        ASSERT_EQ(at, std::min(csr_.offset[u + 1], csr_.offset[u] + from + 7));
      }
    }
  }
}

TEST_F(EdgeViews, SlottedPagesSplitBetweenTwoPassesShowEachEdgeOnce) {
  for (const auto& options : kPaginations) {
    Slotted slotted(csr_.view(), options);
    const auto all = slotted.page_at;
    std::vector<SeenEdge> seen;
    for (const std::size_t parity : {0u, 1u}) {
      slotted.page_at = all;
      for (std::size_t p = 0; p < all.size(); ++p)
        if (p % 2 != parity) slotted.page_at[p] = nullptr;
      const auto part = shown_by(slotted.view());
      seen.insert(seen.end(), part.begin(), part.end());
    }
    std::sort(seen.begin(), seen.end());
    EXPECT_EQ(seen, edges_of(csr_.view(), everyone_)) << options.page_bytes;
  }
}

TEST_F(EdgeViews, APieceOfTheArraysIsAddressedFromItsBase) {
  const VertexId first = 100, last = 200;
  const EdgeId base = csr_.offset[first];
  const FlatEdges piece{csr_.offset.data(), csr_.target.data() + base, csr_.weight.data() + base,
                        base, kWholeList};
  for (VertexId u = first; u < last; ++u) {
    auto cursor = piece.begin(u);
    PlainSpan s;
    EdgeId at = csr_.offset[u];
    while (piece.next(cursor, s))
      for (std::uint32_t i = 0; i < s.size; ++i) EXPECT_EQ(s.target(i), csr_.target[at++]);
    EXPECT_EQ(at, csr_.offset[u + 1]);
  }
}

/// Records what it is shown. `accept_odd` lets odd targets into the frontier.
struct Record {
  std::vector<SeenEdge>* seen;
  std::mutex* mutex;
  bool visit(VertexId u, VertexId v, Weight w) const {
    const std::lock_guard lock(*mutex);
    seen->push_back({u, v, w});
    return v % 2 == 1;
  }
};

TEST_F(EdgeViews, ExpandVisitsEachEdgeOfWideAndCachedViewsOnce) {
  const auto seen_with = [&](const auto& view) {
    testing::LaneTeam team(8);
    std::mutex mutex;
    std::vector<SeenEdge> seen;
    team.run([&](const testing::LaneTeam::Lane& lane) {
      for (VertexId u = 0; u < 100; ++u)
        expand(lane, view, u, Record{&seen, &mutex}, [](const auto&, VertexId, bool) {});
    });
    std::sort(seen.begin(), seen.end());
    return seen;
  };
  everyone_.resize(100);
  EXPECT_EQ(seen_with(wide()), edges_of(csr_.view(), everyone_));
  EXPECT_EQ(seen_with(cached_flat()), with_copies());
  EXPECT_EQ(seen_with(cached_pairs()), with_copies());
}

TEST_F(EdgeViews, ExpandVisitsEachEdgeOnceWithAnyNumberOfLanes) {
  for (const std::uint32_t lanes : {1u, 2u, 8u, 32u}) {
    testing::LaneTeam team(lanes);
    std::mutex mutex;
    std::vector<SeenEdge> seen;
    std::vector<VertexId> kept;
    team.run([&](const testing::LaneTeam::Lane& lane) {
      for (const VertexId u : {0u, 5u, 97u, 98u})
        expand(lane, paged(), u, Record{&seen, &mutex}, [&](const auto&, VertexId v, bool keep) {
          const std::lock_guard lock(mutex);
          if (keep) kept.push_back(v);
        });
    });
    std::sort(seen.begin(), seen.end());
    EXPECT_EQ(seen, edges_of(csr_.view(), std::vector<VertexId>{0, 5, 97, 98})) << lanes;
    const auto odd = std::count_if(seen.begin(), seen.end(),
                                   [](const SeenEdge& e) { return e.target % 2 == 1; });
    EXPECT_EQ(static_cast<std::ptrdiff_t>(kept.size()), odd) << lanes;
  }
}

/// Sums weights; with a bound, stops as soon as it is reached.
struct SumWeights {
  double* sum;  // per vertex
  double bound;
  using Value = double;
  double identity() const { return 0; }
  double map(VertexId, VertexId, Weight w) const { return w; }
  double combine(double a, double b) const { return a + b; }
  bool done(double a) const { return a >= bound; }
  bool commit(VertexId u, double partial) const {
    sum[u] += partial;
    return partial > 0;
  }
};

/// Adds up a hash of each entry and its place in its list.
struct HashPlaces {
  std::uint64_t* sum;
  VertexId copies;  // targets are shown modulo this
  bool visit(VertexId u, VertexId v, Weight, EdgeId i) const {
    *sum += mix64(mix64(u * kVertices + v % copies) + i);
    return false;
  }
};

TEST_F(EdgeViews, ExpandTellsThePlaceOfEachEdgeInItsList) {
  const auto expected = [&] {
    std::uint64_t sum = 0;
    for (VertexId u = 0; u < kVertices; ++u)
      for (EdgeId i = 0; i < csr_.view().degree(u) && i < limit_; ++i)
        sum += mix64(mix64(u * kVertices + csr_.target[csr_.offset[u] + i]) + i);
    return sum;
  };
  const auto told_by = [&](const auto& view) {
    std::uint64_t sum = 0;
    for (VertexId u = 0; u < kVertices; ++u)
      expand(OneLane{}, view, u, HashPlaces{&sum, kVertices}, [](const auto&, VertexId, bool) {});
    return sum;
  };
  for (const EdgeId limit : {kWholeList, EdgeId{2}, EdgeId{40}}) {
    limit_ = limit;
    EXPECT_EQ(told_by(flat()), expected()) << limit;
    EXPECT_EQ(told_by(interleaved()), expected()) << limit;
    EXPECT_EQ(told_by(paged()), expected()) << limit;
    EXPECT_EQ(told_by(wide()), expected()) << limit;
    EXPECT_EQ(told_by(cached_flat()), expected()) << limit;
    EXPECT_EQ(told_by(cached_pairs()), expected()) << limit;
  }
  limit_ = kWholeList;
  for (const auto& options : kPaginations) {
    const Slotted slotted(csr_.view(), options);
    EXPECT_EQ(told_by(slotted.view()), expected()) << options.page_bytes;
  }
}

TEST_F(EdgeViews, ExpandTellsThePlaceOfEachEdgeOfAPieceToo) {
  std::uint64_t sum = 0, expected = 0;
  const FlatEdges view = flat();
  for (VertexId u = 0; u < kVertices; ++u) {
    auto rest = view.begin(u);
    if (rest.pos == rest.end) continue;
    ++rest.pos;
    expand(OneLane{}, view, rest, u, HashPlaces{&sum, kVertices},
           [](const auto&, VertexId, bool) {});
    for (EdgeId i = 1; i < csr_.view().degree(u); ++i)
      expected += mix64(mix64(u * kVertices + csr_.target[csr_.offset[u] + i]) + i);
  }
  EXPECT_EQ(sum, expected);
}

TEST_F(EdgeViews, FoldReducesOverAnyNumberOfLanes) {
  for (const std::uint32_t lanes : {1u, 4u, 32u}) {
    std::vector<double> sum(kVertices, 0);
    testing::LaneTeam team(lanes);
    team.run([&](const testing::LaneTeam::Lane& lane) {
      for (VertexId u = 0; u < 100; ++u) {
        const bool joined = fold(lane, flat(), u, SumWeights{sum.data(), 1e30});
        EXPECT_EQ(joined, csr_.view().degree(u) > 0);
      }
    });
    for (VertexId u = 0; u < 100; ++u) {
      double expected = 0;
      for (const SeenEdge& e : edges_of(csr_.view(), std::vector<VertexId>{u}))
        expected += e.weight;
      EXPECT_EQ(sum[u], expected) << u << " with " << lanes;
    }
  }
}

TEST_F(EdgeViews, FoldStopsOnceDone) {
  std::vector<double> sum(kVertices, 0);
  fold(OneLane{}, flat(), 0, SumWeights{sum.data(), 10});
  EXPECT_GE(sum[0], 10);
  EXPECT_LT(sum[0], 10 + 9);  // one more weight at most
}

}  // namespace
}  // namespace fathom
