// Conformance of edge sources: each edge of each active vertex exactly once, wherever edges live.
#include "fathom/residency/edge_source.hpp"

#include <gtest/gtest.h>

#include <mutex>
#include <set>

#include "fathom/ops/advance.hpp"
#include "fathom/residency/flat_source.hpp"
#include "fathom/residency/paged/paged_source.hpp"
#include "fathom/residency/slotted/slotted_source.hpp"
#include "fathom/residency/slotted/slotted_stream_source.hpp"
#include "tests/cpu/engine/sample_graph.hpp"
#include "tests/suites/configurations.hpp"

namespace fathom {
namespace {

using testing::Configuration;
using testing::edges_of;
using testing::SeenEdge;

struct Visit {
  static constexpr bool kReadsWeights = true;
  std::vector<SeenEdge>* seen;
  std::mutex* mutex;
  bool visit(VertexId u, VertexId v, Weight w) const {
    const std::lock_guard lock(*mutex);
    seen->push_back({u, v, w});
    return false;
  }
};

class EdgeSources : public ::testing::TestWithParam<Configuration> {
 protected:
  static constexpr VertexId kVertices = 500;

  std::unique_ptr<EdgeSource> source() const {
    const ResidencyOptions options = GetParam().residency_for(csr_.edges());
    if (GetParam().slotted) {
      auto image = std::make_shared<store::SlottedImage>(
          store::paginate(csr_.view(), {options.paging.page_bytes, 3, 3}));
      if (options.kind != ResidencyOptions::Kind::Stream)
        return std::make_unique<SlottedSource>(ctx_, image->lists, image,
                                               SlottedSource::Place::Mapped);
      return std::make_unique<SlottedStreamSource>(
          ctx_, std::make_unique<HostPagesSupply>(image->lists, image), image->lists.layout,
          image->rvt, options.paging);
    }
    if (options.kind == ResidencyOptions::Kind::Stream)
      return std::make_unique<PagedSource>(ctx_, csr_.view(), nullptr, options.paging);
    return std::make_unique<FlatSource>(ctx_, csr_.view(), nullptr);
  }

  std::vector<SeenEdge> sweep(EdgeSource& edges, Frontier& active,
                              EdgeId first = kWholeList) const {
    std::mutex mutex;
    std::vector<SeenEdge> seen;
    advance(
        ctx_, edges, active, nullptr,
        [&](const Device&) {
          return Visit{&seen, &mutex};
        },
        Emit::Once, first);
    std::sort(seen.begin(), seen.end());
    return seen;
  }

  Csr csr_ = testing::sample_graph(kVertices, 9, 11);
  Context ctx_ = GetParam().context();
};

TEST_P(EdgeSources, ShowEachEdgeOfAnyFrontierOnce) {
  const auto edges = source();
  std::mt19937 random(3);
  for (const unsigned percent : {0u, 1u, 30u, 100u}) {
    std::vector<VertexId> active;
    for (VertexId v = 0; v < kVertices; ++v)
      if (random() % 100 < percent) active.push_back(v);
    Frontier frontier(ctx_, kVertices);
    frontier.assign(active);
    for (const EdgeId first : {kWholeList, EdgeId{2}, EdgeId{30}})
      EXPECT_EQ(sweep(*edges, frontier, first), edges_of(csr_.view(), active, first)) << percent;
    EXPECT_EQ(edges->degree_sum(ctx_, frontier), edges_of(csr_.view(), active).size());
  }
}

TEST_P(EdgeSources, ShowTheWholeGraphForAFullFrontier) {
  const auto edges = source();
  Frontier all(ctx_, kVertices);
  all.fill();
  std::vector<VertexId> everyone;
  for (VertexId v = 0; v < kVertices; ++v) everyone.push_back(v);
  EXPECT_EQ(sweep(*edges, all), edges_of(csr_.view(), everyone));
  EXPECT_EQ(sweep(*edges, all, 1), edges_of(csr_.view(), everyone, 1));
}

TEST_P(EdgeSources, ShowEachEdgeOnceAfterAPassThatFailed) {
  const auto edges = source();
  Frontier all(ctx_, kVertices);
  all.fill();
  struct Failed {};
  int left = 2;  // of the passes before that
  EXPECT_THROW(edges->sweep(ctx_, all, {},
                            [&](const Pass&) {
                              if (left-- == 0 || edges->whole({})) throw Failed{};
                            }),
               Failed);
  std::vector<VertexId> everyone;
  for (VertexId v = 0; v < kVertices; ++v) everyone.push_back(v);
  EXPECT_EQ(sweep(*edges, all), edges_of(csr_.view(), everyone));
}

struct AcceptAll {
  bool visit(VertexId, VertexId, Weight) const { return true; }
};

TEST_P(EdgeSources, CollectOnceWhatIsAcceptedOften) {
  const auto edges = source();
  for (const std::vector<VertexId>& active :
       {std::vector<VertexId>{}, {1}, {1, 2, 3, 498, 499}, {0, 97}}) {  // 0 and 97 are hubs
    std::set<VertexId> targets;
    for (const SeenEdge& edge : edges_of(csr_.view(), active)) targets.insert(edge.target);
    for (const bool lists : {false, true}) {
      Frontier frontier(ctx_, kVertices), next(ctx_, kVertices);
      frontier.assign(active);
      frontier.make_bitmap();
      if (lists) {
        frontier.keep_list();
        next.keep_list();
        list_few(frontier);
      }
      advance(
          ctx_, *edges, frontier, &next, [](const Device&) { return AcceptAll{}; }, Emit::Often);
      const bool few = active.empty() || active[0] != 0;
      EXPECT_EQ(next.form() == Frontier::Form::List, few && lists && next.can_list());
      std::vector<VertexId> found;
      next.for_each_on_host([&](std::size_t v) { found.push_back(static_cast<VertexId>(v)); });
      EXPECT_EQ(found, std::vector<VertexId>(targets.begin(), targets.end()));
      EXPECT_EQ(next.size(), targets.size());
    }
  }
}

/// A list of two vertices has no room for eight.
TEST(FewAccepted, StayABitmapWhereRepeatsDoNotFitAList) {
  const Context ctx = Context::cpu();
  const Csr csr{Array<EdgeId>::copy_of(std::vector<EdgeId>{0, 8, 8}),
                Array<VertexId>::copy_of(std::vector<VertexId>(8, VertexId{1})),
                {}};
  FlatSource edges(ctx, csr.view(), nullptr);
  Frontier frontier(ctx, 2), next(ctx, 2);
  next.keep_list();
  frontier.assign(std::vector<VertexId>{0});
  advance(
      ctx, edges, frontier, &next, [](const Device&) { return AcceptAll{}; }, Emit::Often);
  EXPECT_EQ(next.form(), Frontier::Form::Bitmap);
  EXPECT_EQ(next.size(), 1u);
}

TEST_P(EdgeSources, ReadListsOneAtATime) {
  const auto edges = source();
  const auto lists = edges->read_lists();
  for (const VertexId v : {97u, 3u, 0u, 499u, 96u, 97u, 1u}) {
    std::vector<VertexId> target;
    std::vector<Weight> weight;
    lists->read(v, [&](const PlainSpan& span) {
      for (std::uint32_t i = 0; i < span.size; ++i) {
        target.push_back(span.target(i));
        weight.push_back(span.weight(i));
      }
    });
    const CsrView g = csr_.view();
    EXPECT_EQ(lists->degree(v), g.degree(v));
    EXPECT_TRUE(std::equal(target.begin(), target.end(), g.target + g.offset[v],
                           g.target + g.offset[v + 1]));
    EXPECT_TRUE(std::equal(weight.begin(), weight.end(), g.weight + g.offset[v],
                           g.weight + g.offset[v + 1]));
  }
}

TEST_P(EdgeSources, ShowEveryPairOfListsOnce) {
  if (GetParam().slotted) GTEST_SKIP() << "degree-oriented lists are never slotted";
  ResidencyOptions options = GetParam().residency;
  options.paging.frames =
      10 * sizeof(VertexId);  // half of them hold the longest list, and many pairs remain
  std::unique_ptr<EdgeSource> edges;
  if (options.kind == ResidencyOptions::Kind::Stream)
    edges = std::make_unique<PagedSource>(ctx_, csr_.view(), nullptr, options.paging);
  else
    edges = std::make_unique<FlatSource>(ctx_, csr_.view(), nullptr);
  auto whole_list = [&](const FlatEdges& e, VertexId v) {
    std::vector<VertexId> list;
    auto cursor = e.begin(v);
    FlatEdges::Span s;
    while (e.next(cursor, s))
      for (std::uint32_t i = 0; i < s.size; ++i) list.push_back(s.target(i));
    return list;
  };
  std::vector<EdgeId> degree;  // kernels must not read the host's offsets
  for (VertexId v = 0; v < kVertices; ++v) degree.push_back(csr_.view().degree(v));
  std::multiset<std::pair<VertexId, VertexId>> seen;
  edges->sweep_pairs(ctx_, [&](const PairPass& pass) {
    ctx_.launch(pass.device, [&] {
      for (VertexId u = pass.a_first; u < pass.a_last; ++u) {
        const std::vector<VertexId> list = whole_list(std::get<FlatEdges>(pass.a), u);
        for (const VertexId v : list)
          if (v >= pass.b_first && v < pass.b_last) {
            seen.emplace(u, v);
            EXPECT_EQ(whole_list(std::get<FlatEdges>(pass.b), v).size(), degree[v]);
          }
      }
    });
  });
  std::multiset<std::pair<VertexId, VertexId>> expected;
  for (VertexId u = 0; u < kVertices; ++u)
    for (EdgeId e = csr_.offset[u]; e < csr_.offset[u + 1]; ++e)
      expected.emplace(u, csr_.target[e]);
  EXPECT_EQ(seen, expected);
}

INSTANTIATE_TEST_SUITE_P(Cpu, EdgeSources, ::testing::ValuesIn(testing::cpu_configurations()),
                         testing::configuration_name);

struct VisitUnweighted {
  std::vector<SeenEdge>* seen;
  bool visit(VertexId u, VertexId v, Weight) const {
    seen->push_back({u, v, 1});
    return false;
  }
};

TEST(FlatSourceOfPairs, TouchesThePlainListsWhenTargetsAreAskedForAlone) {
  const std::vector<EdgeId> offset{0, 2, 3, 3};
  const std::vector<InterleavedEdges::Pair> pairs{{1, 5}, {2, 6}, {0, 7}};
  const std::vector<VertexId> target{1, 2, 0};
  const std::vector<Weight> weight{5, 6, 7};
  int asked = 0;
  CpuOptions one;
  one.threads = 1;
  const Context ctx = Context::cpu(one);
  FlatSource source(
      ctx, 3, 3, offset.data(), pairs.data(),
      [&] {
        ++asked;
        return CsrView{3, 3, offset.data(), target.data(), weight.data()};
      },
      nullptr);
  Frontier all(ctx, 3);
  all.fill();
  std::mutex mutex;
  std::vector<SeenEdge> seen;
  source.prepare(ctx, {kWholeList, true});
  EXPECT_EQ(source.degree_sum(ctx, all), 3u);
  advance(ctx, source, all, nullptr, [&](const Device&) { return Visit{&seen, &mutex}; });
  EXPECT_EQ(seen, (std::vector<SeenEdge>{{0, 1, 5}, {0, 2, 6}, {1, 0, 7}}));
  EXPECT_EQ(asked, 0);
  seen.clear();
  advance(ctx, source, all, nullptr, [&](const Device&) { return VisitUnweighted{&seen}; });
  EXPECT_EQ(seen, (std::vector<SeenEdge>{{0, 1, 1}, {0, 2, 1}, {1, 0, 1}}));
  EXPECT_EQ(source.host_lists()->weight, weight.data());
  EXPECT_EQ(asked, 1);
}

class SlottedPaging : public ::testing::Test {
 protected:
  static constexpr VertexId kVertices = 500;
  Csr csr_ = testing::sample_graph(kVertices, 9, 11, true);
  store::SlottedImage image_ = store::paginate(csr_.view(), {128, 3, 3});

  SlottedStreamSource stream(const Context& ctx, std::size_t frames) const {
    PagingOptions options;
    options.frames = frames;
    return {ctx, std::make_unique<HostPagesSupply>(image_.lists, nullptr), image_.lists.layout,
            image_.rvt, options};
  }
  static Context one_device(std::size_t memory = MemoryPool::kUnlimited) {
    CpuOptions options;
    options.devices = 1;
    options.device_memory = memory;
    return Context::cpu(options);
  }
};

TEST_F(SlottedPaging, FetchesThePagesOfTheFrontierAndNoOthers) {
  const Context ctx = one_device();
  SlottedStreamSource source = stream(ctx, 3);
  const store::RvtTables tables(image_.rvt, kVertices);
  std::mt19937 random(9);
  for (int round = 0; round < 20; ++round) {
    std::vector<VertexId> active;
    std::set<std::size_t> expected;
    for (VertexId v = 0; v < kVertices; ++v) {
      if (random() % 40 != 0) continue;
      active.push_back(v);
      if (csr_.view().degree(v) == 0) continue;
      for (std::size_t p = tables.view().page_of(v); p <= tables.view().last_page_of(v); ++p)
        expected.insert(p);
    }
    Frontier frontier(ctx, kVertices);
    frontier.assign(active);
    const Traffic before = source.traffic();
    source.sweep(ctx, frontier, {}, [](const Pass&) {});
    const Traffic did = source.traffic() - before;
    EXPECT_EQ(did.cache_hits + did.cache_misses, expected.size());
    EXPECT_EQ(did.bytes, did.cache_misses * 128);
  }
}

TEST_F(SlottedPaging, ReadsAPageOfALongListNoFurtherThanAsked) {
  const Context ctx = one_device();
  SlottedStreamSource source = stream(ctx, 100);
  Frontier hub(ctx, kVertices);
  hub.assign(std::vector<VertexId>{97});
  ASSERT_GT(csr_.view().degree(97), 100u);
  const EdgeId capacity = image_.lists.layout.capacity();
  source.sweep(ctx, hub, {2 * capacity}, [](const Pass&) {});
  EXPECT_EQ(source.traffic().requests, 2u);
}

TEST_F(SlottedPaging, FramesGiveWayToVertexState) {
  constexpr std::size_t kMemory = std::size_t{256} << 10;
  const Context ctx = one_device(kMemory);
  SlottedStreamSource source = stream(ctx, 0);
  Frontier all(ctx, kVertices);
  all.fill();
  source.sweep(ctx, all, {}, [](const Pass&) {});
  const std::size_t free_now = ctx.devices()[0].memory()->available();
  const VertexArray<char> state(ctx, free_now + 1);  // fits only when frames give way
  source.sweep(ctx, all, {}, [](const Pass&) {});
  EXPECT_LE(ctx.devices()[0].memory()->peak(), kMemory);
}

TEST_F(SlottedPaging, UsesPagesInHostMemoryWhereTheyAre) {
  const Context ctx = Context::cpu();
  SlottedStreamSource source = stream(ctx, 3);
  Frontier all(ctx, kVertices);
  all.fill();
  source.sweep(ctx, all, {}, [&](const Pass& pass) {
    const auto& edges = std::get<SlottedEdges>(pass.edges);
    for (std::size_t p = 0; p < source.pages(); ++p)
      EXPECT_TRUE(!edges.page_at[p] || edges.page_at[p] == image_.lists.page(p));
  });
  EXPECT_EQ(source.passes(), (source.pages() + 2) / 3);
  EXPECT_EQ(source.traffic().bytes, 0u);
}

TEST_F(SlottedPaging, ShowsEverythingAtOnceWhenResidentOnADevice) {
  const Context ctx = one_device();
  SlottedSource source(ctx, image_.lists, nullptr, SlottedSource::Place::Resident);
  EXPECT_TRUE(source.whole({}).has_value());
  EXPECT_GE(ctx.devices()[0].memory()->used(), image_.pages.size());
}

}  // namespace
}  // namespace fathom
