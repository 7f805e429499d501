// Pages of lists that take turns: how many passes, what is copied, found or read in place, and what
// gives way.
#include <gtest/gtest.h>

#include <set>

#include "fathom/core/trace.hpp"
#include "fathom/residency/paged/paged_source.hpp"
#include "tests/cpu/engine/sample_graph.hpp"
#include "tests/suites/configurations.hpp"
#include "tests/suites/expect_error.hpp"

namespace fathom {
namespace {

using testing::expect_error;

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

/// Pages that are in memory are served to each device; others are brought to all.
class PagingEitherWay : public Paging, public ::testing::WithParamInterface<bool> {
 protected:
  static PagingOptions options(std::size_t page_bytes, std::size_t frames) {
    PagingOptions options{page_bytes, frames};
    options.from_disk = GetParam();
    return options;
  }
};
INSTANTIATE_TEST_SUITE_P(Pages, PagingEitherWay, ::testing::Bool(),
                         [](const auto& brought) { return brought.param ? "brought" : "served"; });

TEST_P(PagingEitherWay, CopiesABatchAheadOfThePassThatIsShown) {
  const Context ctx = one_device();
  PagingOptions its = options(64, 9);  // batches of three pages
  its.trace = std::make_shared<Trace>();
  PagedSource source(ctx, csr_.view(), nullptr, its);
  ASSERT_GT(source.pages(), 30u);
  Frontier all(ctx, kVertices);
  all.fill();
  source.sweep(ctx, all, {}, [](const Pass&) {});
  EXPECT_EQ(source.passes(), (source.pages() + 2) / 3);
  EXPECT_EQ(source.traffic().requests, source.pages());
  // The pass over a batch ends when the next one's copies have been begun.
  const std::string json = its.trace->json();
  std::size_t copies = 0, passes = 0;
  for (std::size_t at = 0; (at = json.find("\"name\":\"pa", at)) != std::string::npos; ++at) {
    if (json.compare(at + 7, 6, "\"page\"") == 0) {
      ++copies;
    } else if (json.compare(at + 7, 6, "\"pass\"") == 0) {
      ++passes;
      EXPECT_EQ(copies, std::min(3 * (passes + 1), source.pages()));
    }
  }
  EXPECT_EQ(passes, source.passes());
}

TEST_P(PagingEitherWay, FetchesAPageThatCameWithoutWeightsAgainForThem) {
  const Csr weighted = testing::sample_graph(kVertices, 9, 11);
  const Context ctx = one_device();
  PagedSource source(ctx, weighted.view(), nullptr, options(64, 100000));
  Frontier all(ctx, kVertices), one(ctx, kVertices);
  all.fill();
  one.assign(std::vector<VertexId>{97});
  const auto misses = [&](Frontier& active, bool weights) {
    SweepOptions its;
    its.weights = weights;
    const Traffic before = source.traffic();
    source.sweep(ctx, active, its, [](const Pass&) {});
    return (source.traffic() - before).cache_misses;
  };
  const std::uint64_t few = misses(one, true);  // the frames have room for weights now
  EXPECT_EQ(misses(all, false), source.pages() - few);
  EXPECT_EQ(misses(all, true), source.pages() - few);
  EXPECT_EQ(misses(all, true), 0u);
}

TEST_P(PagingEitherWay, ReadsSparsePagesInPlaceAndCopiesTheOthers) {
  // Pages of 8 lines: a copy takes as long as 4 of them, or 2 in each of two supersteps.
  const std::size_t page = 1024;
  std::vector<EdgeId> offset;  // 8 vertices with a line of edges each are on a page
  constexpr EdgeId kLine = 128 / sizeof(VertexId);
  std::vector<VertexId> target(512 * kLine, 1);
  for (EdgeId v = 0; v <= 512; ++v) offset.push_back(v * kLine);
  const CsrView even{512, target.size(), offset.data(), target.data(), nullptr};
  const Context ctx = one_device();
  PagingOptions its = options(page, 3);
  its.emulated_link = testing::link_for_pages_of(page);
  its.access = Access::Merged;
  PagedSource source(ctx, even, nullptr, its);
  auto traffic_of = [&](const std::vector<VertexId>& active) {
    const Traffic before = source.traffic();
    Frontier frontier(ctx, 512);
    frontier.assign(active);
    std::size_t edges = 0;
    source.sweep(ctx, frontier, {}, [&](const Pass& pass) {
      EXPECT_EQ(pass.access, pass.remote ? Access::Merged : Access::Aligned);
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

TEST_P(PagingEitherWay, PagesReadInPlaceLeaveTheSupplyOnceTheirPassHasEnded) {
  const Context ctx = one_device();
  PagingOptions its = options(64, 3);
  its.page_move = PageMove::InPlace;
  PagedSource source(ctx, csr_.view(), nullptr, its);
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
  // What is in memory needs no room: one pass reads all of it.
  EXPECT_EQ(source.passes(), GetParam() ? source.pages() : 1u);
}

TEST_P(PagingEitherWay, ReadsEveryPageAfterAPassThatFailed) {
  const Context ctx = one_device();
  for (const PageMove move : {PageMove::InPlace, PageMove::Copy}) {
    PagingOptions its = options(64, 9);
    its.page_move = move;
    PagedSource source(ctx, csr_.view(), nullptr, its);
    Frontier all(ctx, kVertices);
    all.fill();
    struct Failed {};
    // Of the passes before that: what is read in place out of memory takes one.
    int left = move == PageMove::InPlace && !GetParam() ? 0 : 2;
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
}

TEST_F(Paging, EachDeviceHasAShareOfEveryRunOfLists) {
  CpuOptions cpu;
  cpu.devices = 3;
  const Context ctx = Context::cpu(cpu);
  PagedSource source(ctx, csr_.view(), nullptr, {64, 100});
  using Range = std::pair<VertexId, VertexId>;
  std::set<Range> shares, runs;
  std::vector<std::set<Range>> of_device(3);
  source.sweep_pairs(ctx, [&](const PairPass& pass) {
    const Range share{pass.a_first, pass.a_last};
    shares.insert(share);
    of_device[static_cast<std::size_t>(pass.device.index())].insert(share);
    runs.emplace(pass.b_first, pass.b_last);
  });
  ASSERT_GT(runs.size(), 2u);
  VertexId next = 0;
  for (const auto& [first, last] : shares) {
    EXPECT_EQ(first, next);
    next = last;
  }
  EXPECT_EQ(next, kVertices);
  // The run of the hub may be too few lists for all.
  for (const auto& its : of_device) EXPECT_GE(its.size() + 1, runs.size());
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
