#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "fathom/algorithms/betweenness/describe.hpp"
#include "fathom/algorithms/described/algorithm.hpp"
#include "fathom/algorithms/edge_betweenness/edge_betweenness.hpp"
#include "fathom/algorithms/state_sizes.hpp"
#include "fathom/core/units.hpp"

namespace fathom {
namespace {

/// A result, and what was asked, which certificates need after the run.
struct EdgeBetweennessAnswer {
  std::vector<VertexId> row;
  EdgeBetweennessOptions options;
  EdgeBetweennessResult result;
  RunReport report;
};

Answer run_edge_betweenness(const Context& ctx, const Graph& graph, const OptionValues& values) {
  const auto made = std::make_shared<EdgeBetweennessAnswer>();
  made->row.assign(values.rows.begin(), values.rows.end());
  EdgeBetweennessOptions& options = made->options;
  static_cast<BetweennessOptions&>(options) = detail::betweenness_options_of(values);
  options.row = made->row;
  made->result = edge_betweenness(ctx, graph, options);
  made->report = made->result.report;
  const EdgeBetweennessResult& result = made->result;
  const std::span<const double> value = result.centrality.span().first(result.rows);
  Answer answer =
      answer_of(std::shared_ptr<const EdgeBetweennessAnswer>(made),
                [](const Context& on, const Graph& of, const EdgeBetweennessAnswer& its) {
                  verify_edge_betweenness(on, of, its.options, its.result);
                });
  answer.facts = {{"sources", std::uint64_t{result.sources.size()}},
                  {"edges", result.rows},
                  {"greatest", nullptr},
                  {"batch", static_cast<std::uint64_t>(result.batch)},
                  {"normalized", options.normalized},
                  {"weighted", options.weighted}};
  if (result.rows > 0) answer.facts[2].value = *std::max_element(value.begin(), value.end());
  answer.pairs = {result.u.span(), result.v.span()};
  answer.columns = {{"betweenness", value}};
  answer.summary = fmt::format(
      "edge-bc: {} edge{}, {} source{} of {} vertices, batches of {}\n", format_count(result.rows),
      result.rows == 1 ? "" : "s", format_count(result.sources.size()),
      result.sources.size() == 1 ? "" : "s", format_count(graph.vertices()), result.batch);
  return answer;
}

}  // namespace

static constexpr std::string_view kEdgesWeightedRate = "edge-bc --weighted";

const Algorithm& describe_edge_betweenness() {
  static const Algorithm algorithm{
      .name = "edge-bc",
      .purpose = "Betweenness centrality of edges: how many shortest paths go along each (Brandes)",
      .notes =
          "Values are scaled as NetworkX does. Exact centrality searches from every vertex: for "
          "large\n"
          "graphs use --k. With --target paths to these vertices alone count, and what comes from "
          "some\n"
          "sources is not scaled up to all. Rows are edges: one for both directions of an "
          "undirected\n"
          "edge, one for each of parallel edges, and those of loops are 0. Result columns: u, v,\n"
          "betweenness. --top K lists the K edges of the greatest values above 0.",
      .examples = {"graph.fg --k 64 --top 10", "small.fg --weighted -o edges.tsv"},
      .options = detail::betweenness_option_infos(),
      .columns = {{"betweenness", "of the shortest paths, the share that go along the edge"}},
      .facts = {{.name = "sources", .meaning = "how many vertices were searched from"},
                {.name = "edges", .meaning = "rows"},
                {.name = "greatest", .kind = FactInfo::Kind::Real, .may_be_null = true},
                {.name = "batch"},
                {.name = "normalized", .kind = FactInfo::Kind::Flag},
                {.name = "weighted", .kind = FactInfo::Kind::Flag}},
      .pairs = true,
      .ranks_zero = false,
      // Of one search at a time. Edges of an undirected graph have two entries, but for loops: as
      // many of these are reckoned with as there are vertices.
      .state =
          [](const Algorithm::Where& where, const OptionValues& values) {
            const double entries = where.vertices == 0 ? 0
                                                       : static_cast<double>(where.edges) /
                                                             static_cast<double>(where.vertices);
            const double rows = where.directed ? entries : (entries + 1) / 2;
            return edge_betweenness_state(values.flag("weighted") && where.weighted, 1, entries,
                                          rows, where.id_bytes);
          },
      // Of every search, there and back and once more.
      .reads =
          [](const Algorithm::Where& where, const OptionValues& values) {
            return detail::betweenness_reads(where, values, 3, "edge-bc", kEdgesWeightedRate);
          },
      .measured = {{"edge-bc", detail::choose_hops}, {kEdgesWeightedRate, detail::choose_weights}},
      .run = run_edge_betweenness};
  return algorithm;
}

}  // namespace fathom
