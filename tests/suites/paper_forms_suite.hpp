// The papers' PageRank and triangles: what ours give on the same lists.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <span>
#include <vector>

#include "fathom/dynamic/papers/paper_forms.hpp"
#include "fathom/fathom.hpp"
#include "tests/suites/zoo.hpp"

namespace fathom::testing {

/// Both ways, without loops and duplicates, as the papers' triangles want it.
inline Csr simple_lists(const zoo::RawGraph& g) {
  std::vector<Edge> edges;
  for (const auto& [u, v] : g.edges) edges.push_back({u, v});
  graph::BuildOptions options;
  options.undirected = true;
  options.in_edges = false;
  options.loops = graph::Loops::Drop;
  return graph::build(
             g.vertices, [&](const auto& consume) { consume(edges, std::span<const Weight>()); },
             options)
      .out;
}

inline constexpr dynamic::PaperForm kPaperForms[] = {dynamic::PaperForm::Naive,
                                                     dynamic::PaperForm::Balanced};

inline void expect_paper_ranks(const Context& ctx, const Graph& graph) {
  PagerankOptions options;
  options.tolerance = 0;
  options.max_iterations = 7;
  options.in_place = false;
  options.compat = PagerankCompat::Gap;
  const PagerankResult known = pagerank(ctx, graph, options);
  const auto edges = graph.out().whole({});
  ASSERT_TRUE(edges);
  for (const dynamic::PaperForm form : kPaperForms) {
    SCOPED_TRACE(form == dynamic::PaperForm::Naive ? "naive" : "balanced");
    const dynamic::PaperRanks found =
        dynamic::paper_pagerank(ctx, *edges, graph.vertices(), form, options.max_iterations);
    ASSERT_EQ(found.rank.size(), known.rank.size());
    EXPECT_EQ(found.balance_seconds > 0, form == dynamic::PaperForm::Balanced);
    double apart = 0;
    for (std::size_t v = 0; v < found.rank.size(); ++v)
      apart += std::abs(found.rank[v] - known.rank[v]);
    EXPECT_LT(apart, 1e-12);
  }
}

/// `graph` has what simple_lists() make.
inline void expect_paper_triangles(const Context& ctx, const Graph& graph) {
  const std::uint64_t known = count_triangles(ctx, graph).total;
  const auto edges = graph.out().whole({});
  ASSERT_TRUE(edges);
  for (const dynamic::PaperForm form : kPaperForms)
    EXPECT_EQ(dynamic::paper_triangles(ctx, *edges, graph.vertices(), form).total, known)
        << (form == dynamic::PaperForm::Naive ? "naive" : "balanced");
}

}  // namespace fathom::testing
