#include <fmt/format.h>

#include "fathom/algorithms/closeness/closeness.hpp"
#include "fathom/algorithms/described/algorithm.hpp"
#include "fathom/algorithms/multi_search/describe_parts.hpp"
#include "fathom/algorithms/state_sizes.hpp"
#include "fathom/core/units.hpp"

namespace fathom {

static Answer run_closeness(const Context& ctx, const Graph& graph, const OptionValues& values) {
  const ClosenessOptions options{static_cast<VertexId>(values.count("k")), values.count("seed")};
  const auto kept = std::make_shared<const ClosenessResult>(closeness(ctx, graph, options));
  const ClosenessResult& result = *kept;
  Answer answer =
      answer_of(kept, [options](const Context& on, const Graph& of, const ClosenessResult& its) {
        verify_closeness(on, of, options, its);
      });
  answer.facts = {{"sources", std::uint64_t{result.sources.size()}}};
  answer.columns = {{"closeness", result.centrality.span()},
                    {"reached", result.reached.span()},
                    {"distance_sum", result.distance_sum.span()}};
  answer.summary =
      fmt::format("closeness: {} source{} of {} vertices\n", format_count(result.sources.size()),
                  result.sources.size() == 1 ? "" : "s", format_count(result.centrality.size()));
  return answer;
}

const Algorithm& describe_closeness() {
  static const Algorithm algorithm{
      .name = "closeness",
      .purpose = "Closeness centrality: how short the ways to each vertex are, on average",
      .notes =
          "With r the number of other vertices that reach x along edges and s the sum of their\n"
          "distances, in edges, the value of x is (r / s) * (r / (n - 1)) (Wasserman and Faust). "
          "Exact\n"
          "centrality searches from every vertex: for large graphs use --k. Result columns: "
          "vertex,\n"
          "closeness, reached (r), distance_sum (s).",
      .examples = {"graph.fg --k 64 --top 10", "small.fg -o closeness.tsv"},
      .options = {{.name = "k",
                   .kind = OptionInfo::Kind::Count,
                   .value = "N",
                   .meaning = "Estimate from N random sources (default: all vertices, exact)",
                   .least = 2,
                   .most = kNoVertex - 1,
                   .planned = true},
                  {.name = "seed",
                   .kind = OptionInfo::Kind::Count,
                   .value = "S",
                   .meaning = "Which random sources",
                   .shows_default = true}},
      .columns = {{"closeness", "0 to 1; 1: an edge from every other vertex"},
                  {"reached", "other sources that reach it"},
                  {"distance_sum", "the edges of shortest paths from these, added up"}},
      .facts = {{.name = "sources", .meaning = "searched from"}},
      .ranks_zero = false,
      .shows_best = true,
      .state = [](const Algorithm::Where& where,
                  const OptionValues&) { return closeness_state(where.id_bytes); },
      .reads =
          [](const Algorithm::Where& where, const OptionValues& values) {
            return reads_in_batches(where, values.count("k"));
          },
      .measured = {{kBatchRate,
                    [](OptionValues& values) { values.set_count("k", kBatchSearches); }},
                   {kFewRate, [](OptionValues& values) { values.set_count("k", kFewSearches); }}},
      .run = run_closeness};
  return algorithm;
}

}  // namespace fathom
