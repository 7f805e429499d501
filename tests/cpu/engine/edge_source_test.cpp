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
#include "tests/suites/expect_error.hpp"

namespace fathom {
namespace {

using testing::Configuration;
using testing::edges_of;
using testing::expect_error;
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
    return std::make_unique<FlatSource>(csr_.view(), nullptr);
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
    edges = std::make_unique<FlatSource>(csr_.view(), nullptr);
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

class Paging : public ::testing::Test {
 protected:
  static constexpr VertexId kVertices = 500;
  static Context one_device() {
    CpuOptions options;
    options.devices = 1;
    return Context::cpu(options);
  }
  Csr csr_ = testing::sample_graph(kVertices, 9, 11, false);
};

TEST_F(Paging, TakesManyPassesWithFewFramesAndNoFetchWhenAllFit) {
  const Context ctx = one_device();
  Frontier all(ctx, kVertices);
  all.fill();
  auto sweep = [&](PagedSource& s) { s.sweep(ctx, all, {}, [](const Pass&) {}); };

  PagedSource tight(ctx, csr_.view(), nullptr, {64, 9});
  sweep(tight);
  EXPECT_EQ(tight.passes(), (tight.pages() + 2) / 3);  // while others are copied
  EXPECT_EQ(tight.traffic().bytes, csr_.edges() * sizeof(VertexId));

  PagedSource roomy(ctx, csr_.view(), nullptr, {64, 100000});
  sweep(roomy);
  const Traffic first = roomy.traffic();
  sweep(roomy);
  EXPECT_EQ((roomy.traffic() - first).bytes, 0u);
  EXPECT_EQ((roomy.traffic() - first).cache_hits, roomy.pages());
}

TEST_F(Paging, UsesHostArraysOnTheHostWhereTheyAre) {
  const Context ctx = Context::cpu();
  Frontier all(ctx, kVertices);
  all.fill();
  PagedSource source(ctx, csr_.view(), nullptr, {64, 3});
  source.sweep(ctx, all, {}, [&](const Pass& pass) {
    const auto& edges = std::get<PagedEdges>(pass.edges);
    for (std::size_t p = 0; p < source.pages(); ++p)
      EXPECT_TRUE(!edges.page_target[p] ||
                  edges.page_target[p] == csr_.target.data() + p * (64 / sizeof(VertexId)));
  });
  EXPECT_EQ(source.passes(), (source.pages() + 2) / 3);  // three pages at a time, as asked
  EXPECT_EQ(source.traffic().bytes, 0u);
}

TEST_F(Paging, FetchesWeightsOnlyForSweepsThatReadThem) {
  const Csr weighted = testing::sample_graph(kVertices, 9, 11);
  const Context ctx = one_device();
  PagedSource source(ctx, weighted.view(), nullptr, {64, 100000});
  Frontier all(ctx, kVertices);
  all.fill();
  const std::size_t bytes = weighted.edges() * sizeof(VertexId);
  SweepOptions with, without;
  with.weights = true;
  auto fetched = [&](const SweepOptions& options) {
    const Traffic before = source.traffic();
    source.sweep(ctx, all, options, [](const Pass&) {});
    return (source.traffic() - before).bytes;
  };
  EXPECT_EQ(fetched(without), bytes);
  EXPECT_EQ(fetched(without), 0u);
  EXPECT_EQ(fetched(with), bytes + weighted.edges() * sizeof(Weight));
  EXPECT_EQ(fetched(with), 0u);
  EXPECT_EQ(fetched(without), 0u);
}

TEST_F(Paging, ReadsSparsePagesInPlaceAndCopiesTheOthers) {
  // Pages of 8 lines: a copy takes as long as 4 of them, or 2 in each of two supersteps.
  const std::size_t page = 1024;
  std::vector<EdgeId> offset;  // 8 vertices with a line of edges each are on a page
  constexpr EdgeId kLine = 128 / sizeof(VertexId);
  std::vector<VertexId> target(512 * kLine, 1);
  for (EdgeId v = 0; v <= 512; ++v) offset.push_back(v * kLine);
  const CsrView even{512, target.size(), offset.data(), target.data(), nullptr};
  const Context ctx = one_device();
  PagingOptions options{page, 3};
  options.emulated_link = testing::link_for_pages_of(page);
  PagedSource source(ctx, even, nullptr, options);
  auto traffic_of = [&](const std::vector<VertexId>& active) {
    const Traffic before = source.traffic();
    Frontier frontier(ctx, 512);
    frontier.assign(active);
    std::size_t edges = 0;
    source.sweep(ctx, frontier, {}, [&](const Pass& pass) {
      const auto& view = std::get<PagedEdges>(pass.edges);
      ctx.launch(pass.device, [&] {
        for (const VertexId v : active) {
          PagedEdges::Span span;
          for (auto at = view.begin(v); view.next(at, span);) {
            edges += span.size;
            const bool copied =
                span.target_at < target.data() || span.target_at >= target.data() + target.size();
            EXPECT_EQ(copied, !pass.remote);
          }
        }
      });
    });
    EXPECT_EQ(edges, active.size() * kLine);
    return source.traffic() - before;
  };
  const Traffic sparse = traffic_of({0});  // a line of page 0
  EXPECT_EQ(sparse.bytes, 128u);
  EXPECT_EQ(sparse.cache_misses, 0u);
  const Traffic kept = traffic_of({8, 9, 10});  // three lines of page 1, while frames are free
  EXPECT_EQ(kept.bytes, page);
  EXPECT_EQ(kept.cache_misses, 1u);
  EXPECT_EQ(traffic_of({8}).cache_hits, 1u);
  // Pages 2 and 3 take the other frames; then three lines are not worth one, and five are.
  EXPECT_EQ(traffic_of({16, 17, 18, 19, 20, 24, 25, 26, 27, 28}).cache_misses, 2u);
  const Traffic mixed = traffic_of({32, 33, 34, 40, 41, 42, 43, 44});
  EXPECT_EQ(mixed.cache_misses, 1u);
  EXPECT_EQ(mixed.bytes, 3 * 128 + page);
}

TEST_F(Paging, PagesReadInPlaceLeaveTheSupplyOnceTheirPassHasEnded) {
  const Context ctx = one_device();
  PagingOptions options{64, 3};
  options.page_move = PageMove::InPlace;
  PagedSource source(ctx, csr_.view(), nullptr, options);
  Frontier all(ctx, kVertices);
  all.fill();
  source.sweep(ctx, all, {}, [&](const Pass& pass) {
    EXPECT_TRUE(pass.remote);
    const auto& edges = std::get<PagedEdges>(pass.edges);
    ctx.launch(pass.device, [&] {
      for (std::size_t p = 0; p < source.pages(); ++p)
        EXPECT_TRUE(!edges.page_target[p] ||
                    edges.page_target[p] == csr_.target.data() + p * (64 / sizeof(VertexId)));
    });
  });
  EXPECT_EQ(source.traffic().cache_misses, 0u);
}

TEST_F(Paging, ReadsEveryPageInPlaceAfterAPassThatFailed) {
  const Context ctx = one_device();
  PagingOptions options{64, 9};
  options.page_move = PageMove::InPlace;
  PagedSource source(ctx, csr_.view(), nullptr, options);
  Frontier all(ctx, kVertices);
  all.fill();
  struct Failed {};
  int left = 2;  // of the passes before that
  auto fail = [&](const Pass&) {
    if (left-- == 0) throw Failed{};
  };
  EXPECT_THROW(source.sweep(ctx, all, {}, fail), Failed);
  EdgeId edges = 0;
  source.sweep(ctx, all, {}, [&](const Pass& pass) {
    const auto& view = std::get<PagedEdges>(pass.edges);
    ctx.launch(pass.device, [&] {
      PagedEdges::Span span;
      for (VertexId v = pass.first; v < pass.last; ++v)
        for (auto at = view.begin(v); view.next(at, span);) edges += span.size;
    });
  });
  EXPECT_EQ(edges, csr_.edges());
}

TEST_F(Paging, ASmallFrontierFetchesOnlyItsPages) {
  const Context ctx = one_device();
  PagedSource source(ctx, csr_.view(), nullptr, {64, 8});
  Frontier one(ctx, kVertices);
  const std::vector<VertexId> vertex{1};
  one.assign(vertex);
  source.sweep(ctx, one, {}, [](const Pass&) {});
  EXPECT_LE(source.traffic().requests, csr_.view().degree(1) / 16 + 2);
}

TEST_F(Paging, FramesGiveWayToVertexState) {
  CpuOptions options;
  options.devices = 1;
  options.device_memory = std::size_t{256} << 10;
  const Context ctx = Context::cpu(options);
  PagedSource source(ctx, csr_.view(), nullptr, {64, 0});
  Frontier all(ctx, kVertices);
  all.fill();
  source.sweep(ctx, all, {}, [](const Pass&) {});
  const std::size_t free_now = ctx.devices()[0].memory()->available();
  const VertexArray<char> state(ctx, free_now + 1);  // fits only when frames give way
  source.sweep(ctx, all, {}, [](const Pass&) {});    // and paging goes on with what is left
  EXPECT_LE(ctx.devices()[0].memory()->peak(), options.device_memory);
}

TEST_F(Paging, RefusesPageSizesThatAreNoPowerOfTwo) {
  const Context ctx = Context::cpu();
  EXPECT_THROW(PagedSource(ctx, csr_.view(), nullptr, {100, 0}), Error);
  EXPECT_THROW(PagedSource(ctx, csr_.view(), nullptr, {2, 0}), Error);
}

TEST_F(Paging, RefusesPairsWhenAListDoesNotFitHalfOfTheFrames) {
  const Context ctx = Context::cpu();
  PagedSource source(ctx, csr_.view(), nullptr, {64, 2});
  expect_error(ErrorCode::DoesNotFit, [&] { source.sweep_pairs(ctx, [](const PairPass&) {}); });
}

}  // namespace
}  // namespace fathom
