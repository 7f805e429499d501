// Algorithms on a store's disk: the answers of the resident graph, the pages that active vertices
// need and no others; no more memory than the budget.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>

#include "fathom/algorithms/betweenness/betweenness.hpp"
#include "fathom/algorithms/bfs/bfs.hpp"
#include "fathom/algorithms/components/components.hpp"
#include "fathom/algorithms/pagerank/pagerank.hpp"
#include "fathom/algorithms/sssp/sssp.hpp"
#include "fathom/algorithms/triangles/triangles.hpp"
#include "fathom/residency/paged/stream_source.hpp"
#include "fathom/store/stripes.hpp"
#include "tests/cpu/ssd/streamed.hpp"
#include "tests/store_format/reseal.hpp"
#include "tests/suites/expect_error.hpp"

namespace fathom {
namespace {

using store::kMi;

template <class T>
std::vector<T> to_vector(const Array<T>& values) {
  return {values.begin(), values.end()};
}

void expect_close(const Array<double>& actual, const Array<double>& expected, double tolerance) {
  double change = 0;
  for (std::size_t v = 0; v < expected.size(); ++v) change += std::abs(actual[v] - expected[v]);
  EXPECT_LT(change, tolerance);
}

TEST_F(Streamed, AnswersAreThoseOfTheResidentGraphWithinTheBudget) {
  for (const bool directed : {false, true}) {
    const Context plain = context(MemoryPool::kUnlimited);
    const Graph resident = load(plain, path(directed));
    BetweennessOptions some;
    some.sources = {kSource, 77};
    PagerankOptions ranks;
    ranks.tolerance = 1e-9;
    const auto depth = to_vector(bfs(plain, resident, std::array{kSource}).depth);
    const auto distance = to_vector(sssp(plain, resident, kSource).distance);
    const SsspOptions kDouble{.precision = SsspPrecision::Double};
    const auto double_distance = to_vector(sssp(plain, resident, kSource, kDouble).double_distance);
    const auto label = to_vector(connected_components(plain, resident).label);
    const PagerankResult rank = pagerank(plain, resident, ranks);
    const BetweennessResult between = betweenness(plain, resident, some);
    const std::uint64_t triangles = count_triangles(plain, resident).total;
    // Of layout, executor and direction each pair occurs.
    for (const auto& [devices, slotted] : {std::pair(0, directed), {2, !directed}}) {
      const std::size_t host = (directed ? 20 : 9) * kMi;
      const Context ctx = context(host, devices, 9 * kMi);
      PagingOptions paging;
      paging.page_bytes = devices == 0 ? kMi : kMi / 4;
      paging.page_move = directed ? PageMove::InPlace : PageMove::Copy;
      const Graph graph = load(ctx, path(directed, slotted), streamed(paging));
      EXPECT_EQ(graph.residency(), "stream");
      const BfsResult search = bfs(ctx, graph, std::array{kSource});
      EXPECT_EQ(to_vector(search.depth), depth);
      EXPECT_GT(search.report.link.disk.bytes, 0u);
      EXPECT_NO_THROW(verify_bfs(ctx, graph, std::array{kSource}, {}, search));
      const SsspResult paths = sssp(ctx, graph, kSource);
      EXPECT_EQ(to_vector(paths.distance), distance);
      EXPECT_NO_THROW(verify_sssp(ctx, graph, kSource, paths));
      const SsspResult wide = sssp(ctx, graph, kSource, kDouble);
      EXPECT_EQ(to_vector(wide.double_distance), double_distance);
      EXPECT_NO_THROW(verify_sssp(ctx, graph, kSource, wide));
      const ComponentsResult classes = connected_components(ctx, graph);
      EXPECT_EQ(to_vector(classes.label), label);
      EXPECT_NO_THROW(verify_components(ctx, graph, classes));
      const PagerankResult found = pagerank(ctx, graph, ranks);
      expect_close(found.rank, rank.rank, 1e-7);
      EXPECT_NO_THROW(verify_pagerank(ctx, graph, ranks, found));
      const BetweennessResult central = betweenness(ctx, graph, some);
      expect_close(central.centrality, between.centrality, 1e-9);
      EXPECT_NO_THROW(verify_betweenness(ctx, graph, some, central, 1));
      const TrianglesResult counted = count_triangles(ctx, graph);
      EXPECT_EQ(counted.total, triangles);
      EXPECT_NO_THROW(verify_triangles(ctx, graph, counted));
      EXPECT_LE(ctx.peak_host_bytes(), host);
      EXPECT_LE(ctx.peak_device_bytes(), 9 * kMi);
    }
  }
}

/// The list of a vertex; `between` runs while each part of it is shown.
std::vector<VertexId> list_of(ListReader& lists, VertexId v, const std::function<void()>& between) {
  std::vector<VertexId> list;
  lists.read(v, [&](const PlainSpan& span) {
    between();
    for (std::uint32_t i = 0; i < span.size; ++i) list.push_back(span.target(i));
  });
  return list;
}

TEST_F(Streamed, SeveralListsAreReadAtOnceThroughAUnitOfMemoryThatOthersTakeAway) {
  const Context plain = context(MemoryPool::kUnlimited);
  const Graph resident = load(plain, path(true));
  const auto right_out = resident.out().read_lists(), right_in = resident.in().read_lists();
  for (const bool slotted : {false, true}) {
    const Context ctx = context(2 * kMi + kMi / 2 + 2 * 8 * ((1 << 15) + 1));
    const Graph graph = load(ctx, path(true, slotted), streamed({}));
    const auto out = graph.out().read_lists(), again = graph.out().read_lists();
    const auto in = graph.in().read_lists();
    const auto take_memory = [&] {
      const std::size_t left = ctx.host_memory()->available();
      Array<std::byte>(std::min(left + kMi / 2, kMi + kMi / 4), ctx.host_memory());
    };
    const auto nothing = [] {};
    for (VertexId v = 0; v + 5 < graph.vertices(); v += 2711) {
      const auto expected = list_of(*right_out, v, nothing);
      EXPECT_EQ(list_of(*out, v, nothing), expected);
      EXPECT_EQ(list_of(*in, v + 5, nothing), list_of(*right_in, v + 5, nothing));
      EXPECT_EQ(list_of(*out, v, take_memory), expected);
      EXPECT_EQ(list_of(*again, v, [&] { list_of(*in, v / 2, nothing); }), expected);
      EXPECT_EQ(list_of(*out, v, [&] { list_of(*again, v / 2, nothing); }), expected);
    }
  }
}

TEST_F(Streamed, ShowsEveryEdgeWhereStateIsSplitAndTheFirstSweepReadsAll) {
  for (const bool slotted : {false, true}) {
    PagingOptions paging;
    paging.page_bytes = kMi / 4;
    paging.frames = 3;
    paging.strategy = Strategy::Scalability;
    const Context ctx = context(20 * kMi, 2, 9 * kMi);
    const Graph graph = load(ctx, path(true, slotted), streamed(paging));
    auto& source = dynamic_cast<StreamSource&>(graph.out());
    source.begin_split(true);
    Frontier all(ctx, graph.vertices());
    all.fill();
    std::array<EdgeId, 2> shown{};
    source.sweep_split(ctx, all, {}, 4096, [&](const Pass& pass) {
      EdgeId edges = 0;
      ctx.launch(pass.device, [&] {
        visit_host_edges(
            [&](const auto& view) {
              typename std::remove_cvref_t<decltype(view)>::Span span;
              for (VertexId v = pass.first; v < pass.last; ++v)
                for (auto at = view.begin(v); view.next(at, span);) edges += span.size;
            },
            pass.edges);
      });
      shown[static_cast<std::size_t>(pass.device.index())] += edges;
    });
    source.end_split();
    EXPECT_EQ(shown[0], graph.edges());
    EXPECT_EQ(shown[1], graph.edges());
  }
}

/// Which pages the lists of the vertices at each depth are on.
std::vector<std::set<std::size_t>> pages_by_level(const CsrView& g,
                                                  const Array<std::uint32_t>& depth,
                                                  std::size_t page_bytes) {
  std::vector<std::set<std::size_t>> pages;
  for (VertexId v = 0; v < g.vertices; ++v) {
    if (depth[v] == kUnreached) continue;
    if (pages.size() <= depth[v]) pages.resize(depth[v] + 1);
    for (EdgeId e = g.offset[v]; e < g.offset[v + 1]; ++e)
      pages[depth[v]].insert(static_cast<std::size_t>(e * sizeof(VertexId) / page_bytes));
  }
  return pages;
}

TEST_F(Streamed, ASearchFetchesThePagesOfItsFrontiersAndNoOthers) {
  const auto store = store::Store::open(path(true));
  const CsrView lists = store->out();
  const Context plain = context(MemoryPool::kUnlimited);
  BfsOptions push;
  push.direction = Direction::Push;
  const BfsResult resident = bfs(plain, load(plain, path(true)), std::array{kSource}, push);
  for (const std::size_t page_bytes : {std::size_t{1} << 14, kMi})
    for (const PageCache cache : {PageCache::None, PageCache::Lru}) {
      const auto model = pages_by_level(lists, resident.depth, page_bytes);
      const Context ctx = context(MemoryPool::kUnlimited);
      PagingOptions paging;
      paging.page_bytes = page_bytes;
      paging.cache = cache;
      const BfsResult result =
          bfs(ctx, load(ctx, path(true), streamed(paging)), std::array{kSource}, push);
      ASSERT_EQ(result.report.supersteps.size(), model.size());
      std::set<std::size_t> kept;
      std::uint64_t bytes = 0;
      for (std::size_t level = 0; level < model.size(); ++level) {
        const DiskTraffic& disk = result.report.supersteps[level].link.disk;
        EXPECT_EQ(disk.page_hits + disk.page_misses, model[level].size()) << "level " << level;
        if (cache == PageCache::None) {
          EXPECT_EQ(disk.page_misses, model[level].size()) << "level " << level;
          kept.clear();
        }
        std::set<std::size_t> blocks;  // what is read: a page, or the checksum block it is in
        for (const std::size_t p : model[level])
          if (blocks.insert(p * page_bytes / kMi).second &&
              kept.insert(p * page_bytes / kMi).second)
            bytes += std::min<std::uint64_t>(
                kMi, store::padded(lists.edges * sizeof(VertexId)) - p * page_bytes / kMi * kMi);
      }
      EXPECT_EQ(result.report.link.disk.bytes, bytes);
    }
}

TEST_F(Streamed, ASearchFetchesTheSlottedPagesOfItsFrontiersAndNoOthers) {
  const auto store = store::Store::open(path(true, true));
  const store::SlottedLists lists = *store->slotted_out();
  const store::RvtTables tables(lists.rvt, lists.vertices);
  const Context ctx = context(MemoryPool::kUnlimited);
  BfsOptions push;
  push.direction = Direction::Push;
  PagingOptions paging;
  paging.cache = PageCache::None;
  const BfsResult result =
      bfs(ctx, load(ctx, path(true, true), streamed(paging)), std::array{kSource}, push);
  std::vector<std::set<std::size_t>> model;
  for (VertexId v = 0; v < lists.vertices; ++v) {
    const std::uint32_t depth = result.depth[v];
    if (depth == kUnreached || lists.offset[v] == lists.offset[v + 1]) continue;
    if (model.size() <= depth) model.resize(depth + 1);
    for (std::size_t p = tables.view().page_of(v); p <= tables.view().last_page_of(v); ++p)
      model[depth].insert(p);
  }
  ASSERT_GE(result.report.supersteps.size(), model.size());
  for (std::size_t level = 0; level < model.size(); ++level)
    EXPECT_EQ(result.report.supersteps[level].link.disk.page_misses, model[level].size());
}

TEST_F(Streamed, ASlottedPageThatIsNoneIsRefusedThoughItsChecksumMatches) {
  const std::string bad = directory_->file("bad.fg");
  std::vector<std::byte> bytes = store::read_file(path(true, true));
  const auto layout = store::decode_header(path(true, true), bytes, bytes.size());
  // The first entry of the second page: a page that is not there.
  const std::size_t at = layout.find(store::SectionId::OutPages)->offset + kMi / 16 + 4;
  for (const std::size_t i : {0, 1, 2}) bytes[at + i] = std::byte{0xff};
  store::reseal(bytes);
  store::write_file(bad, bytes);
  const Context ctx = context(MemoryPool::kUnlimited);
  testing::expect_error(
      ErrorCode::BadInput, [&] { connected_components(ctx, load(ctx, bad, streamed({}))); },
      "section 'out.pages': page 1 (bytes");
}

TEST_F(Streamed, AnswersFromStripesAreThoseOfTheStore) {
  for (const bool slotted : {false, true}) {
    const std::string graph = path(!slotted, slotted);
    const Context plain = context(MemoryPool::kUnlimited);
    const Graph resident = load(plain, path(!slotted));
    PagerankOptions ranks;
    ranks.tolerance = 1e-9;
    const auto depth = to_vector(bfs(plain, resident, std::array{kSource}).depth);
    const auto distance = to_vector(sssp(plain, resident, kSource).distance);
    const auto label = to_vector(connected_components(plain, resident).label);
    const PagerankResult rank = pagerank(plain, resident, ranks);
    for (const std::size_t n : {1, 2, 3, 5}) {
      PagingOptions paging;
      paging.ssd = stripes(graph, n);
      paging.page_bytes = n == 3 ? 4 * kMi : kMi / 2;  // of CSR: larger than what is dealt, too
      const std::size_t host = 20 * kMi;
      const Context ctx = context(host, n == 2 ? 2 : 0, 9 * kMi);
      const Graph striped = load(ctx, graph, streamed(paging));
      EXPECT_EQ(to_vector(bfs(ctx, striped, std::array{kSource}).depth), depth);
      EXPECT_EQ(to_vector(sssp(ctx, striped, kSource).distance), distance);
      EXPECT_EQ(to_vector(connected_components(ctx, striped).label), label);
      expect_close(pagerank(ctx, striped, ranks).rank, rank.rank, 1e-7);
      EXPECT_LE(ctx.peak_host_bytes(), host);
    }
  }
}

TEST_F(Streamed, SaysWhatBudgetWouldDo) {
  const Context ctx = context(kMi);
  try {
    const Graph graph = load(ctx, path(false), streamed({}));
    pagerank(ctx, graph, {});
    FAIL() << "a mebibyte was enough";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::DoesNotFit);
    EXPECT_NE(std::string(e.what()).find("host memory"), std::string::npos) << e.what();
    EXPECT_NE(std::string(e.what()).find("at least"), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace fathom
