// Algorithms find the same in graphs over narrow lists, widened in memory or streamed.
#include "fathom/residency/narrow/narrow_graph.hpp"

#include <gtest/gtest.h>

#include "fathom/algorithms/bfs/bfs.hpp"
#include "fathom/algorithms/components/components.hpp"
#include "fathom/algorithms/pagerank/pagerank.hpp"
#include "fathom/algorithms/reciprocity/reciprocity.hpp"
#include "fathom/algorithms/sssp/sssp.hpp"
#include "fathom/algorithms/triangles/triangles.hpp"
#include "fathom/store/make/repack.hpp"
#include "fathom/store/narrow/narrow_image.hpp"
#include "tests/cpu/narrow/narrow_files.hpp"
#include "tests/suites/expect_error.hpp"
#include "tests/suites/zoo.hpp"
#include "tests/suites/zoo_csr.hpp"

namespace fathom {
namespace {

using Kind = ResidencyOptions::Kind;
using testing::expect_error;

struct Images {
  store::NarrowImage out, in;
};

Graph narrow_graph(const Context& ctx, const graph::BuiltGraph& built, bool directed,
                   const ResidencyOptions& options = {}) {
  auto images = std::make_shared<Images>();
  images->out = store::narrowed(built.out.view());
  if (built.in) images->in = store::narrowed(built.in->view());
  return make_graph(ctx, images->out.lists, built.in ? &images->in.lists : nullptr, directed,
                    options, images);
}

template <class T>
std::vector<T> values(const Array<T>& array) {
  return {array.begin(), array.end()};
}

void expect_same_answers(const Context& ctx, const Graph& plain, const Graph& narrow) {
  EXPECT_EQ(narrow.vertices(), plain.vertices());
  EXPECT_EQ(narrow.edges(), plain.edges());
  EXPECT_EQ(narrow.weighted(), plain.weighted());
  EXPECT_EQ(narrow.has_in(), plain.has_in());
  EXPECT_EQ(values(connected_components(ctx, narrow).label),
            values(connected_components(ctx, plain).label));
  const PagerankResult ranks = pagerank(ctx, narrow), expected = pagerank(ctx, plain);
  for (VertexId v = 0; v < plain.vertices(); ++v)
    EXPECT_NEAR(ranks.rank[v], expected.rank[v], 1e-6);
  EXPECT_EQ(count_triangles(ctx, narrow).total, count_triangles(ctx, plain).total);
  if (plain.directed()) {
    EXPECT_EQ(reciprocity(ctx, narrow).edges, reciprocity(ctx, plain).edges);
  }
  if (plain.vertices() == 0) return;
  const VertexId first[] = {0};
  EXPECT_EQ(values(bfs(ctx, narrow, first).depth), values(bfs(ctx, plain, first).depth));
  if (!plain.weighted()) return;
  EXPECT_EQ(values(sssp(ctx, narrow, 0).distance), values(sssp(ctx, plain, 0).distance));
  verify_sssp(ctx, narrow, 0, sssp(ctx, plain, 0));
}

class NarrowGraphs : public ::testing::TestWithParam<zoo::RawGraph> {};

TEST_P(NarrowGraphs, HaveTheAnswersOfPlainOnesOnTheHostAndOnDevices) {
  const zoo::RawGraph& raw = GetParam();
  const graph::BuiltGraph built = zoo::build(raw);
  const CsrView out = built.out.view();
  const std::optional<CsrView> in = built.in ? std::optional(built.in->view()) : std::nullopt;
  for (const auto& [devices, kind] :
       {std::pair{0, Kind::Auto}, {0, Kind::Stream}, {1, Kind::Auto}, {2, Kind::Stream}}) {
    SCOPED_TRACE(devices);
    const Context ctx =
        Context::cpu({2, MemoryPool::kUnlimited, devices, std::size_t{64} << 20, {}});
    ResidencyOptions options;
    options.kind = kind;
    options.paging.page_bytes = 64;
    const Graph plain = make_graph(ctx, out, in ? &*in : nullptr, raw.directed, options);
    expect_same_answers(ctx, plain, narrow_graph(ctx, built, raw.directed, options));
  }
}

INSTANTIATE_TEST_SUITE_P(Zoo, NarrowGraphs, ::testing::ValuesIn(zoo::all_graphs()),
                         [](const auto& graph) { return graph.param.name; });

/// A weighted directed graph in a file.
class NarrowFiles : public ::testing::Test {
 protected:
  NarrowFiles() {
    store::Sample sample = store::random_sample(2000, 60'000, true);
    sample.in_edges = true;
    store::write_sample(csr_, sample);
    store::RepackOptions options;
    options.narrow = true;
    store::repack(csr_, narrow_, options);
  }
  static constexpr std::size_t kOneDirection = 60'000 * (sizeof(VertexId) + sizeof(Weight));

  store::TemporaryDirectory directory_;
  std::string csr_ = directory_.file("csr.fg"), narrow_ = directory_.file("narrow.fg");
};

TEST_F(NarrowFiles, HaveTheAnswersOfPlainOnes) {
  const Context ctx = Context::cpu({2, MemoryPool::kUnlimited, 0, MemoryPool::kUnlimited, {}});
  for (const Kind kind : {Kind::Auto, Kind::Resident}) {
    ResidencyOptions options;
    options.kind = kind;
    const Graph narrow = load(ctx, narrow_, options);
    expect_same_answers(ctx, load(ctx, csr_), narrow);
    EXPECT_EQ(narrow.residency(), "resident");
  }
}

TEST_F(NarrowFiles, StreamedHaveTheAnswersOfPlainOnesWithinTheBudget) {
  const Context plain = Context::cpu({2, MemoryPool::kUnlimited, 0, MemoryPool::kUnlimited, {}});
  const Graph csr = load(plain, csr_);
  for (const int devices : {0, 1, 2})
    for (const std::size_t page_bytes : {std::size_t{4096}, store::kMi}) {
      SCOPED_TRACE(devices);
      const std::size_t host = 5 * store::kMi + store::kMi / 2;
      const Context ctx = Context::cpu({2, host, devices, 6 * store::kMi, {}});
      ResidencyOptions options;
      options.kind = Kind::Stream;
      options.paging.page_bytes = page_bytes;
      const Graph narrow = load(ctx, narrow_, options);
      expect_same_answers(ctx, csr, narrow);
      EXPECT_EQ(narrow.residency(), "stream");
      EXPECT_GT(narrow.traffic().disk.bytes, 0u);
      EXPECT_LE(ctx.peak_host_bytes(), host);
    }
}

TEST_F(NarrowFiles, MoveNarrowPagesToDevices) {
  const Context ctx = Context::cpu({2, MemoryPool::kUnlimited, 2, std::size_t{8} << 20, {}});
  ResidencyOptions options;
  options.kind = Kind::Stream;
  options.paging.page_bytes = 4096;
  const VertexId first[] = {0};
  std::uint64_t bytes[2];
  for (const bool narrow : {false, true}) {
    const Graph graph = load(ctx, narrow ? narrow_ : csr_, options);
    sssp(ctx, graph, 0);
    pagerank(ctx, graph);
    bytes[narrow] = graph.traffic().bytes;
    bfs(ctx, graph, first);
  }
  // 24 bits of 64, and of pages without weights of 32.
  EXPECT_LT(bytes[1], bytes[0] * 3 / 4);
  EXPECT_GT(bytes[1], bytes[0] * 3 / 10);
}

TEST_F(NarrowFiles, AreWidenedInBudgetedMemoryWhileTheyAreOpen) {
  const Context ctx = Context::cpu({2, std::size_t{1} << 30, 0, MemoryPool::kUnlimited, {}});
  {
    const Graph graph = load(ctx, narrow_);
    EXPECT_EQ(ctx.host_memory()->used(), 0u);
    graph.out();
    EXPECT_EQ(ctx.host_memory()->used(), kOneDirection);
    graph.in();
    EXPECT_EQ(ctx.host_memory()->used(), 2 * kOneDirection);
    graph.oriented();  // from what is there
    EXPECT_LT(ctx.host_memory()->peak(), 4 * kOneDirection);
  }
  EXPECT_EQ(ctx.host_memory()->used(), 0u);
}

TEST_F(NarrowFiles, AreStreamedWhereTheyDoNotFitWidened) {
  store::Sample sample = store::random_sample(2000, 1'500'000, true);
  sample.in_edges = true;
  store::write_sample(csr_, sample);
  store::repack(csr_, narrow_, store::to_narrow());
  const Context plain = Context::cpu({2, MemoryPool::kUnlimited, 0, MemoryPool::kUnlimited, {}});
  const std::size_t widened = std::size_t{2} * 1'500'000 * (sizeof(VertexId) + sizeof(Weight));
  const Context ctx = Context::cpu({2, widened, 0, MemoryPool::kUnlimited, {}});
  const Graph narrow = load(ctx, narrow_);
  EXPECT_EQ(narrow.residency(), "stream");
  EXPECT_NE(narrow.residency_reason().find("they do not fit: "), std::string::npos);
  EXPECT_NE(narrow.residency_reason().find(" widened"), std::string::npos);
  const auto right = connected_components(plain, load(plain, csr_));
  EXPECT_EQ(values(connected_components(ctx, narrow).label), values(right.label));
  EXPECT_LE(ctx.peak_host_bytes(), widened);
  const Context enough = Context::cpu({2, widened + 24 * 2000, 0, MemoryPool::kUnlimited, {}});
  EXPECT_EQ(load(enough, narrow_).residency(), "resident");
}

TEST_F(NarrowFiles, SmallerThanWhatAStreamTakesAreWidened) {
  const Context ctx = Context::cpu({2, kOneDirection, 0, MemoryPool::kUnlimited, {}});
  const Graph graph = load(ctx, narrow_);
  EXPECT_EQ(graph.residency(), "resident");
  EXPECT_NE(graph.residency_reason().find("a stream would need as much"), std::string::npos);
  graph.out();
}

TEST_F(NarrowFiles, SayWhatWouldDoWhereTheyShallBeResidentAndDoNotFit) {
  ResidencyOptions resident;
  resident.kind = Kind::Resident;
  for (const std::size_t budget : {kOneDirection - 1, kOneDirection / 2}) {
    const Context ctx = Context::cpu({2, budget, 0, MemoryPool::kUnlimited, {}});
    const Graph graph = load(ctx, narrow_, resident);
    expect_error(
        ErrorCode::DoesNotFit, [&] { graph.out(); }, "narrow lists are read widened here");
    expect_error(
        ErrorCode::DoesNotFit, [&] { graph.out(); }, "--residency stream");
    EXPECT_EQ(ctx.host_memory()->used(), 0u);
  }
}

TEST_F(NarrowFiles, SplitTheirVertexStateToo) {
  const Context ctx = Context::cpu({2, MemoryPool::kUnlimited, 2, std::size_t{64} << 20, {}});
  ResidencyOptions split;
  split.paging.strategy = Strategy::Scalability;
  split.paging.chunks = 2;
  split.paging.page_bytes = 4096;
  const VertexId first[] = {0};
  EXPECT_EQ(values(bfs(ctx, load(ctx, narrow_, split), first).depth),
            values(bfs(ctx, load(ctx, csr_, split), first).depth));
}

}  // namespace
}  // namespace fathom
