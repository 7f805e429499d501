// PageRank and triangles as the papers compute them, on every layout.
#include <gtest/gtest.h>

#include "tests/suites/expect_error.hpp"
#include "tests/suites/paper_forms_suite.hpp"

namespace fathom::testing {
namespace {

constexpr DynamicLayoutKind kPaperLayouts[] = {DynamicLayoutKind::Ouro, DynamicLayoutKind::Faim,
                                               DynamicLayoutKind::Aim};

Context paper_workers() {
  CpuOptions cpu;
  cpu.threads = 3;
  return Context::cpu(cpu);
}

DynamicGraph changing_graph(const Context& ctx, const Csr& lists, DynamicLayoutKind layout) {
  DynamicGraphOptions options;
  options.layout = layout;
  options.page_bytes = 32;  // 7 edges
  options.directed = false;
  options.memory = std::size_t{1} << 27;
  options.most_vertices = 1u << 16;
  return DynamicGraph(ctx, lists.view(), nullptr, options);
}

class PaperForms : public ::testing::TestWithParam<zoo::RawGraph> {};

TEST_P(PaperForms, give_what_ours_give_on_every_layout) {
  const Context ctx = paper_workers();
  const Csr lists = simple_lists(GetParam());
  const Graph still = make_graph(ctx, lists.view(), nullptr, false);
  expect_paper_ranks(ctx, still);
  expect_paper_triangles(ctx, still);
  for (const DynamicLayoutKind layout : kPaperLayouts) {
    SCOPED_TRACE(static_cast<int>(layout));
    const DynamicGraph changing = changing_graph(ctx, lists, layout);
    expect_paper_ranks(ctx, changing.graph());
    expect_paper_triangles(ctx, changing.graph());
  }
}

std::vector<zoo::RawGraph> paper_graphs() {
  std::vector<zoo::RawGraph> some;
  for (const zoo::RawGraph& g : zoo::unweighted_graphs())
    if (g.vertices > 0) some.push_back(g);
  return some;
}
INSTANTIATE_TEST_SUITE_P(Zoo, PaperForms, ::testing::ValuesIn(paper_graphs()),
                         [](const auto& param) { return param.param.name; });

TEST(PaperFormsOnLists, rank_lists_with_gaps_and_in_any_order) {
  const Context ctx = paper_workers();
  const Csr lists = simple_lists({"", 300, false, zoo::random_edges(300, 9000, 5), {}});
  for (const DynamicLayoutKind layout : kPaperLayouts) {
    SCOPED_TRACE(static_cast<int>(layout));
    DynamicGraph graph = changing_graph(ctx, lists, layout);
    zoo::Dice dice(7);
    std::vector<EdgeUpdate> updates;
    for (int i = 0; i < 4000; ++i) {
      const VertexId u = dice.roll(300), v = dice.roll(300);
      if (u != v) updates.push_back({u, v, 1, dice.roll(3) != 0});
    }
    const BatchReport report = graph.apply({0, updates, {}});
    ASSERT_GT(report.inserted, 0u);
    ASSERT_GT(report.removed, 0u);
    expect_paper_ranks(ctx, graph.graph());
    if (layout == DynamicLayoutKind::Ouro) expect_paper_triangles(ctx, graph.graph());
  }
}

/// Lists of 149 edges, of which the papers' balanced forms make two pieces or more each.
TEST(PaperFormsOnLists, count_every_triangle_of_a_clique) {
  const Context ctx = paper_workers();
  const Csr lists = simple_lists({"", 150, false, zoo::clique_edges(0, 150), {}});
  for (const DynamicLayoutKind layout : kPaperLayouts) {
    const DynamicGraph graph = changing_graph(ctx, lists, layout);
    for (const dynamic::PaperForm form : kPaperForms)
      EXPECT_EQ(dynamic::paper_triangles(ctx, graph.lists(), 150, form).total,
                150u * 149u * 148u / 6u);
  }
}

TEST(PaperFormsOnLists, refuse_what_they_were_not_compiled_for) {
  const Context ctx = paper_workers();
  for (const dynamic::PaperForm form : kPaperForms) {
    EXPECT_EQ(dynamic::paper_pagerank(ctx, FlatEdges{}, 0, form, 3).rank.size(), 0u);
    EXPECT_EQ(dynamic::paper_triangles(ctx, DynamicEdges{}, 0, form).total, 0u);
    expect_error(
        ErrorCode::Usage, [&] { dynamic::paper_triangles(ctx, PagedEdges{}, 5, form); },
        "plain lists");
    CpuOptions two;
    two.devices = 2;
    expect_error(
        ErrorCode::Usage,
        [&] { dynamic::paper_pagerank(Context::cpu(two), FlatEdges{}, 5, form, 1); }, "one device");
  }
}

}  // namespace
}  // namespace fathom::testing
