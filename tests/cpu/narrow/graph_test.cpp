// Algorithms find the same in graphs over narrow lists, whose memory is what widening them takes.
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
#include "tests/cpu/store/sample.hpp"
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
  for (const int devices : {0, 1, 2}) {
    SCOPED_TRACE(devices);
    const Context ctx =
        Context::cpu({2, MemoryPool::kUnlimited, devices, std::size_t{64} << 20, {}});
    ResidencyOptions options;
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
    EXPECT_EQ(narrow.residency_reason(), "narrow lists are widened in memory");
  }
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

TEST_F(NarrowFiles, SayWhatWouldDoWhereTheyDoNotFit) {
  for (const std::size_t budget : {kOneDirection - 1, kOneDirection / 2}) {
    const Context ctx = Context::cpu({2, budget, 0, MemoryPool::kUnlimited, {}});
    const Graph graph = load(ctx, narrow_);
    expect_error(
        ErrorCode::DoesNotFit, [&] { graph.out(); }, "narrow lists are read widened here");
    expect_error(
        ErrorCode::DoesNotFit, [&] { graph.out(); }, "fathom convert --layout csr");
    EXPECT_EQ(ctx.host_memory()->used(), 0u);
  }
  const Context enough = Context::cpu({2, kOneDirection, 0, MemoryPool::kUnlimited, {}});
  load(enough, narrow_).out();
}

TEST_F(NarrowFiles, AreNotStreamedFromADiskNorToTheProcessor) {
  ResidencyOptions streamed;
  streamed.kind = Kind::Stream;
  const Context host = Context::cpu({2, MemoryPool::kUnlimited, 0, MemoryPool::kUnlimited, {}});
  expect_error(
      ErrorCode::Usage, [&] { load(host, narrow_, streamed); }, "not streamed to the processor");
  const Context devices = Context::cpu({2, MemoryPool::kUnlimited, 2, std::size_t{64} << 20, {}});
  streamed.paging.from_disk = true;
  expect_error(
      ErrorCode::Usage, [&] { load(devices, narrow_, streamed); }, "not streamed from a disk");
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
