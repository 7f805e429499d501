#include <fmt/format.h>

#include "fathom/algorithms/described/algorithm.hpp"
#include "fathom/algorithms/described/set_sizes.hpp"
#include "fathom/algorithms/scc/scc.hpp"
#include "fathom/algorithms/state_sizes.hpp"
#include "fathom/core/units.hpp"

namespace fathom {
namespace {

Answer run_scc(const Context& ctx, const Graph& graph, const OptionValues&) {
  const auto kept = std::make_shared<const SccResult>(strongly_connected_components(ctx, graph));
  const SccResult& result = *kept;
  const std::vector<std::uint64_t> sizes = largest_sizes(result.label.span());
  Answer answer = answer_of(kept, verify_scc);
  answer.facts = {{"components", std::uint64_t{result.components}},
                  {"largest", std::uint64_t{result.largest}},
                  {"trivial", std::uint64_t{result.trivial}},
                  {"largest_sizes", sizes}};
  answer.columns = {{"component", result.label.span(), std::nullopt, AnswerColumn::Kind::Set}};
  answer.summary = fmt::format("scc: {} component{} of {} vertices, {} of one vertex\n",
                               format_count(result.components), result.components == 1 ? "" : "s",
                               format_count(result.label.size()), format_count(result.trivial)) +
                   sizes_line(sizes, result.components);
  return answer;
}

/// To trim, about an edge of each vertex in either direction, twice or more; then what is left is
/// searched from the pivot and coloured a few times. Without in-edges there is no telling how many
/// supersteps read all of it.
Reads reads_of(const Algorithm::Where& where, const OptionValues&) {
  if (!where.has_in) return {};
  return {.kind = Reads::Kind::Traversal, .least = 1, .most = where.directed ? 5. : 2.};
}

}  // namespace

const Algorithm& describe_scc() {
  static const Algorithm algorithm{
      .name = "scc",
      .purpose = "Strongly connected components: vertices that reach each other (Multistep)",
      .notes =
          "Undirected graphs have the components of cc. Result columns: vertex, component (the\n"
          "label of the component's first vertex). --top K lists the K largest components.",
      .examples = {"graph.fg", "graph.fg --top 10 -o components.tsv"},
      .columns = {{"component", "the label of the component's first vertex"}},
      .facts = {{.name = "components"},
                {.name = "largest"},
                {.name = "trivial", .meaning = "components of one vertex"},
                {.name = "largest_sizes", .kind = FactInfo::Kind::Counts}},
      .state =
          [](const Algorithm::Where& where, const OptionValues&) {
            return scc_state(where.directed, where.has_in, where.id_bytes);
          },
      .reads = reads_of,
      .run = run_scc};
  return algorithm;
}

}  // namespace fathom
