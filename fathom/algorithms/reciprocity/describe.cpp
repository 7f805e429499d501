#include <fmt/format.h>

#include <cmath>

#include "fathom/algorithms/described/algorithm.hpp"
#include "fathom/algorithms/reciprocity/reciprocity.hpp"
#include "fathom/algorithms/state_sizes.hpp"
#include "fathom/core/units.hpp"

namespace fathom {
namespace {

Answer run_reciprocity(const Context& ctx, const Graph& graph, const OptionValues&) {
  const auto kept = std::make_shared<const ReciprocityResult>(reciprocity(ctx, graph));
  const ReciprocityResult& result = *kept;
  const bool none = std::isnan(result.reciprocity);
  Answer answer = answer_of(kept, verify_reciprocity);
  answer.facts = {{"reciprocity", none ? Fact::Value(nullptr) : Fact::Value(result.reciprocity)},
                  {"answered_edges", result.edges}};
  answer.columns = {{"answered", result.answered.span()}};
  answer.summary =
      none ? "reciprocity: none, there are no edges\n"
           : fmt::format("reciprocity: {:.6f}, {} of {} edges have one back\n", result.reciprocity,
                         format_count(result.edges), format_count(graph.edges()));
  return answer;
}

Reads reads_of(const Algorithm::Where&, const OptionValues&) {
  return {.kind = Reads::Kind::Sweeps, .least = 1, .most = 1.5, .builds_in = true};
}

}  // namespace

const Algorithm& describe_reciprocity() {
  static const Algorithm algorithm{
      .name = "reciprocity",
      .purpose = "How many edges of a directed graph have one back, in all and of each vertex",
      .notes =
          "Parallel edges count each. A loop has no edge back, but is one of all edges.\n"
          "Result columns: vertex, answered (its out-edges that have an edge back).",
      .examples = {"graph.fg", "graph.fg --top 10 -o answered.tsv --verify"},
      .columns = {{"answered", "out-edges with an edge back"}},
      .facts = {{.name = "reciprocity",
                 .kind = FactInfo::Kind::Real,
                 .meaning = "the share of all edges; null without any",
                 .may_be_null = true},
                {.name = "answered_edges", .meaning = "edges that have one back"}},
      .ranks_zero = false,
      .of = Algorithm::Of::Directed,
      .state = [](const Algorithm::Where& where,
                  const OptionValues&) { return reciprocity_state(where.id_bytes); },
      .reads = reads_of,
      .run = run_reciprocity};
  return algorithm;
}

}  // namespace fathom
