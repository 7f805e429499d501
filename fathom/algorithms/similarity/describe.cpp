#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "fathom/algorithms/described/algorithm.hpp"
#include "fathom/algorithms/similarity/similarity.hpp"
#include "fathom/algorithms/state_sizes.hpp"
#include "fathom/core/units.hpp"

namespace fathom {
namespace {

/// A result, and what was asked, which certificates need after the run.
struct SimilarityAnswer {
  std::vector<VertexId> row, sources;
  VertexPairs pairs;
  SimilarityOptions options;
  SimilarityResult result;
  RunReport report;
};

SimilarityMeasure measure_of(const OptionValues& values) {
  const std::string& name = values.mode("measure");
  if (name == "overlap") return SimilarityMeasure::Overlap;
  if (name == "adamic-adar") return SimilarityMeasure::AdamicAdar;
  if (name == "resource-allocation") return SimilarityMeasure::ResourceAllocation;
  if (name == "common") return SimilarityMeasure::CommonNeighbors;
  return SimilarityMeasure::Jaccard;
}

Answer run_similarity(const Context& ctx, const Graph& graph, const OptionValues& values) {
  const auto made = std::make_shared<SimilarityAnswer>();
  made->row.assign(values.rows.begin(), values.rows.end());
  made->sources = values.vertices("source").ids;
  made->pairs = values.pairs("pairs");
  made->options = {measure_of(values), values.count("k"), made->sources, made->row};
  const bool given = values.given("pairs");
  if (given && !made->sources.empty())
    throw Error(ErrorCode::Usage, "similarity: pairs and a source exclude each other");
  made->result = given ? similarity_of(ctx, graph, made->pairs, made->options)
                       : best_similar(ctx, graph, made->options);
  made->report = made->result.report;
  const SimilarityResult& result = made->result;
  const std::span<const double> value = result.value.span().first(result.rows);
  Answer answer =
      answer_of(std::shared_ptr<const SimilarityAnswer>(made),
                [given](const Context& on, const Graph& of, const SimilarityAnswer& its) {
                  if (given) return verify_similarity(on, of, its.pairs, its.options, its.result);
                  verify_best_similar(on, of, its.options, its.result);
                });
  const auto greatest = std::max_element(value.begin(), value.end());
  answer.facts = {{"pairs", result.rows}, {"greatest", nullptr}};
  if (result.rows > 0) answer.facts[1].value = *greatest;
  answer.pairs = {result.u.span().first(result.rows), result.v.span().first(result.rows)};
  answer.columns = {{"similarity", value}};
  answer.summary =
      fmt::format("similarity: {} pairs, {}{}\n", format_count(result.rows), values.mode("measure"),
                  result.rows > 0 ? fmt::format(" up to {:.6g}", *greatest) : "");
  return answer;
}

}  // namespace

/// Two reads of all edges, then of the lists of everybody's neighbours: paths of two edges, which
/// are what it takes time for.
static Reads reads_of(const Algorithm::Where& where, const OptionValues& values) {
  if (where.directed || where.two_paths <= 0 || values.given("pairs")) return {};
  return {.kind = Reads::Kind::Traversal,
          .least = 2,
          .most = 2 + where.two_paths / static_cast<double>(where.edges),
          .by_two_paths = true};
}

const Algorithm& describe_similarity() {
  static const SimilarityOptions standard;
  static const Algorithm algorithm{
      .name = "similarity",
      .purpose = "How alike vertices are: the neighbours that pairs of them have in common",
      .notes =
          "Of undirected graphs; loops and duplicates do not matter. Without --pairs the best of\n"
          "each vertex among those with a common neighbour, neighbours or not, of equal ones "
          "those\n"
          "that come first. jaccard: of all their neighbours; overlap: of those of the vertex "
          "that\n"
          "has fewer; common: how many. adamic-adar and resource-allocation count each by 1 over\n"
          "its degree's logarithm, and 1 over its degree. Rows are pairs, result columns: u, v,\n"
          "similarity. --top K lists the K most similar pairs.",
      .examples = {"graph.fg --k 5 -o similar.tsv", "graph.fg --source gnome --top 20",
                   "graph.fg --pairs candidates.tsv --measure adamic-adar -o scores.tsv"},
      .options = {{.name = "measure",
                   .kind = OptionInfo::Kind::Mode,
                   .meaning = "What common neighbours are measured by",
                   .choices = {"jaccard", "overlap", "adamic-adar", "resource-allocation",
                               "common"},
                   .mode = "jaccard",
                   .planned = true},
                  {.name = "pairs",
                   .kind = OptionInfo::Kind::Pairs,
                   .value = "FILE",
                   .meaning = "Of these pairs, lines of LABEL<TAB>LABEL"},
                  {.name = "k",
                   .kind = OptionInfo::Kind::Count,
                   .value = "N",
                   .meaning = "At most so many of each vertex (default 10)",
                   .positive = true,
                   .count = standard.k,
                   .excludes = "pairs",
                   .planned = true},
                  {.name = "source",
                   .kind = OptionInfo::Kind::Vertices,
                   .value = "LABEL",
                   .meaning = "The best of this vertex alone, by its label; or of several"}},
      .columns = {{"similarity", "of u and v, by the measure"}},
      .facts = {{.name = "pairs"},
                {.name = "greatest", .kind = FactInfo::Kind::Real, .may_be_null = true}},
      .pairs = true,
      .asks_two_paths = true,
      .of = Algorithm::Of::Undirected,
      .state =
          [](const Algorithm::Where& where, const OptionValues& values) {
            auto k = static_cast<double>(values.count("k"));
            if (where.vertices > 0) k = std::min(k, static_cast<double>(where.vertices));
            return similarity_state(values.given("pairs"), weighs_neighbors(measure_of(values)), k,
                                    where.id_bytes);
          },
      .reads = reads_of,
      .run = run_similarity};
  return algorithm;
}

}  // namespace fathom
