// Triangles, cores, and what vertices decide by their neighbours.
#include <array>
#include <cmath>
#include <utility>

#include "fathom/algorithms/assortativity/assortativity.hpp"
#include "fathom/algorithms/color/color.hpp"
#include "fathom/algorithms/degrees/degrees.hpp"
#include "fathom/algorithms/kcore/kcore.hpp"
#include "fathom/algorithms/ktruss/ktruss.hpp"
#include "fathom/algorithms/lcc/lcc.hpp"
#include "fathom/algorithms/matching/matching.hpp"
#include "fathom/algorithms/mis/mis.hpp"
#include "fathom/algorithms/reciprocity/reciprocity.hpp"
#include "fathom/algorithms/similarity/similarity.hpp"
#include "fathom/algorithms/triangles/triangles.hpp"
#include "tests/cuda/algorithms/checks.hpp"
#include "tests/reference/degrees.hpp"
#include "tests/reference/kcore.hpp"
#include "tests/reference/structure/assortativity.hpp"
#include "tests/reference/structure/clustering.hpp"
#include "tests/reference/structure/greedy_colors.hpp"
#include "tests/reference/structure/greedy_matching.hpp"
#include "tests/reference/structure/independent_set.hpp"
#include "tests/reference/structure/similarity.hpp"
#include "tests/reference/structure/truss_numbers.hpp"
#include "tests/reference/triangles.hpp"

namespace fathom::on_gpus {
namespace {

InOne triangles(const KnownGraph& known) {
  const auto expected = reference::count_triangles(known.oracle);
  return [=](const Placed& p) {
    if (p.where.residency.gpu.id_bytes > GpuEdgeOptions::kPlainIdBytes) return;  // refused
    EXPECT_EQ(count_triangles(p.ctx, p.graph()).total, expected.total);
    const TrianglesResult each = count_triangles(p.ctx, p.graph(), {true});
    EXPECT_EQ(each.total, expected.total);
    EXPECT_EQ(to_vector(each.per_vertex), expected.per_vertex);
  };
}

InOne clusterings(const KnownGraph& known) {
  const reference::Clustering expected = reference::clustering(known.oracle);
  return [=](const Placed& p) {
    if (p.where.residency.gpu.id_bytes > GpuEdgeOptions::kPlainIdBytes) return;  // refused
    const Context host = one_thread();
    for (const bool in_edges : {true, false}) {
      const LccResult result = local_clustering(p.ctx, p.graph(in_edges));
      EXPECT_EQ(to_vector(result.coefficient), expected.coefficient);
      EXPECT_EQ(result.links, expected.links);
      EXPECT_EQ(result.pairs, expected.pairs);
      verify_lcc(host, p.on_host(host), result);
    }
  };
}

InOne truss_numbers(const KnownGraph& known) {
  const reference::Trusses expected = reference::truss_numbers(known.oracle);
  return [=](const Placed& p) {
    const Context host = one_thread();
    const KtrussResult result = truss_decomposition(p.ctx, p.graph(true));
    ASSERT_EQ(result.u.size(), expected.size());
    std::size_t row = 0;
    for (const auto& [ends, its] : expected) {
      EXPECT_EQ(std::pair(result.u[row], result.v[row]), ends);
      EXPECT_EQ(result.truss[row], its.number);
      EXPECT_EQ(result.layer[row++], its.layer);
    }
    verify_ktruss(host, p.on_host(host), {}, result);
  };
}

InOne core_numbers(const KnownGraph& known) {
  const reference::Cores expected = reference::core_numbers(known.oracle);
  return [=](const Placed& p) {
    const Context host = one_thread();
    for (const bool in_edges : {true, false}) {
      const KcoreResult result = kcore(p.ctx, p.graph(in_edges));
      EXPECT_EQ(to_vector(result.core), expected.core);
      EXPECT_EQ(to_vector(result.layer), expected.layer);
      verify_kcore(host, p.on_host(host), {}, result);
    }
  };
}

InOne independent_sets(const KnownGraph& known) {
  const std::vector<MisOptions> asked{{}, {5, MisOrder::Random}};
  std::vector<std::vector<std::uint32_t>> expected;
  for (const MisOptions& options : asked)
    expected.push_back(reference::greedy_independent_set(known.oracle, options.seed,
                                                         options.order == MisOrder::Degree));
  return [=](const Placed& p) {
    const Context host = one_thread();
    for (const bool in_edges : {true, false})
      for (std::size_t i = 0; i < asked.size(); ++i) {
        const MisResult result = maximal_independent_set(p.ctx, p.graph(in_edges), asked[i]);
        EXPECT_EQ(to_vector(result.in_set), expected[i]);
        verify_mis(host, p.on_host(host), asked[i], result);
      }
  };
}

InOne greedy_colourings(const KnownGraph& known) {
  const ColorOptions options{5};
  const std::vector<std::uint32_t> expected = reference::greedy_colors(known.oracle, options.seed);
  return [=](const Placed& p) {
    const Context host = one_thread();
    for (const bool in_edges : {true, false}) {
      const ColorResult result = color_vertices(p.ctx, p.graph(in_edges), options);
      EXPECT_EQ(to_vector(result.color), expected);
      verify_color(host, p.on_host(host), options, result);
    }
  };
}

InOne greedy_matchings(const KnownGraph& known) {
  if (known.raw.directed) return [](const Placed&) {};  // refused
  const MatchingOptions options{5};
  const reference::Matching expected = reference::greedy_matching(known.oracle, options.seed);
  return [=](const Placed& p) {
    const Context host = one_thread();
    const MatchingResult result = maximal_matching(p.ctx, p.graph(), options);
    EXPECT_EQ(to_vector(result.partner), expected.partner);
    EXPECT_EQ(to_vector(result.weight), expected.weight);
    verify_matching(host, p.on_host(host), options, result);
  };
}

InOne similarities(const KnownGraph& known) {
  const auto n = static_cast<VertexId>(known.raw.vertices);
  if (known.raw.directed || n < 2) return [](const Placed&) {};
  const std::size_t rows = reference::Neighborhoods(known.oracle).best("common", 0, 4).size();
  return [n, rows](const Placed& p) {
    const Context host = one_thread();
    const std::vector<VertexId> sources{0};
    const auto last = static_cast<VertexId>(n - 1);
    const std::array pairs{std::pair(VertexId{0}, last), std::pair(last, VertexId{0})};
    for (const auto measure : {SimilarityMeasure::Jaccard, SimilarityMeasure::AdamicAdar}) {
      const SimilarityOptions options{measure, 4, sources};
      const SimilarityResult best = best_similar(p.ctx, p.graph(true), options);
      EXPECT_EQ(best.rows, rows);
      verify_best_similar(host, p.on_host(host), options, best);
      const SimilarityResult result = similarity_of(p.ctx, p.graph(true), pairs, options);
      verify_similarity(host, p.on_host(host), pairs, options, result);
    }
  };
}

InOne degree_counts(const KnownGraph& known) {
  const reference::Degrees expected = reference::degrees(known.oracle);
  return [=](const Placed& p) {
    for (const bool in_edges : {true, false}) {
      const DegreesResult result = degrees(p.ctx, p.graph(in_edges));
      EXPECT_EQ(to_vector(result.out), expected.out);
      EXPECT_TRUE(!p.raw().directed || to_vector(result.in) == expected.in);
    }
  };
}

InOne assortativities(const KnownGraph& known) {
  const Context host = one_thread();
  const AssortativityOptions options{!known.raw.directed};
  const AssortativityResult expected = degree_assortativity(host, known.place(host, {}), options);
  const auto means = to_vector(expected.neighbor_degree);
  return [=, coefficient = expected.coefficient, clubs = expected.rich_club](const Placed& p) {
    const Context here = one_thread();
    for (const bool in_edges : {true, false}) {
      const AssortativityResult result = degree_assortativity(p.ctx, p.graph(in_edges), options);
      EXPECT_EQ(to_vector(result.neighbor_degree), means);
      EXPECT_TRUE(result.coefficient == coefficient || std::isnan(coefficient));
      EXPECT_EQ(result.rich_club, clubs);
      verify_assortativity(here, p.on_host(here), result);
    }
  };
}

InOne answered_edges(const KnownGraph& known) {
  if (!known.raw.directed) return [](const Placed&) {};
  const std::vector<EdgeId> expected = reference::answered_edges(known.oracle);
  return [=](const Placed& p) {
    const Context host = one_thread();
    for (const bool in_edges : {true, false}) {
      const ReciprocityResult result = reciprocity(p.ctx, p.graph(in_edges));
      EXPECT_EQ(to_vector(result.answered), expected);
      verify_reciprocity(host, p.on_host(host), result);
    }
  };
}

}  // namespace

std::vector<Check> neighborhood_checks() {
  return {{"Triangles", triangles},
          {"Clusterings", clusterings},
          {"TrussNumbers", truss_numbers},
          {"CoreNumbers", core_numbers},
          {"IndependentSets", independent_sets},
          {"Colours", greedy_colourings},
          {"GreedyMatchings", greedy_matchings},
          {"Similar", similarities},
          {"Degrees", degree_counts},
          {"Assortativities", assortativities},
          {"AnsweredEdges", answered_edges}};
}

}  // namespace fathom::on_gpus
