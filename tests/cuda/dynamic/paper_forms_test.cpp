// The papers' PageRank and triangles in the memory of a GPU, on CSR and on every layout. Skipped
// without a device.
#include "tests/cuda/dynamic/dynamic_gpu.hpp"
#include "tests/suites/paper_forms_suite.hpp"

namespace fathom::testing {
namespace {

TEST_P(GpuDynamic, papers_forms_give_what_ours_give) {
  DynamicGraphOptions wanted = options();
  wanted.directed = false;
  wanted.page_bytes = 32;
  for (const zoo::RawGraph& g : zoo::unweighted_graphs()) {
    if (g.vertices == 0) continue;
    SCOPED_TRACE(g.name);
    const Csr lists = simple_lists(g);
    const DynamicGraph graph(ctx(), lists.view(), nullptr, wanted);
    expect_paper_ranks(ctx(), graph.graph());
    expect_paper_triangles(ctx(), graph.graph());
  }
}

TEST(GpuPaperForms, give_what_ours_give_on_lists_in_csr) {
  if (!gpu_present()) GTEST_SKIP() << "no CUDA device";
  const Context ctx = small_gpu();
  for (const zoo::RawGraph& g : zoo::unweighted_graphs()) {
    if (g.vertices == 0) continue;
    SCOPED_TRACE(g.name);
    const Csr lists = simple_lists(g);
    const Graph graph = make_graph(ctx, lists.view(), nullptr, false);
    expect_paper_ranks(ctx, graph);
    expect_paper_triangles(ctx, graph);
  }
}

}  // namespace
}  // namespace fathom::testing
