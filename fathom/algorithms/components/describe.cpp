#include <fmt/format.h>

#include <algorithm>

#include "fathom/algorithms/components/components.hpp"
#include "fathom/algorithms/described/algorithm.hpp"
#include "fathom/algorithms/described/set_sizes.hpp"
#include "fathom/algorithms/state_sizes.hpp"
#include "fathom/core/units.hpp"

namespace fathom {
namespace {

Answer run_components(const Context& ctx, const Graph& graph, const OptionValues& values) {
  const ComponentsOptions options{.sample = !values.flag("no-sampling")};
  const auto kept =
      std::make_shared<const ComponentsResult>(connected_components(ctx, graph, options));
  const ComponentsResult& result = *kept;
  const std::vector<std::uint64_t> sizes = largest_sizes(result.label.span());
  Answer answer = answer_of(kept, verify_components);
  answer.facts = {{"components", std::uint64_t{result.components}},
                  {"largest", std::uint64_t{result.largest}},
                  {"largest_sizes", sizes}};
  answer.columns = {{"component", result.label.span(), std::nullopt, AnswerColumn::Kind::Set}};
  answer.summary =
      fmt::format("cc: {} component{} of {} vertices\n", format_count(result.components),
                  result.components == 1 ? "" : "s", format_count(result.label.size())) +
      sizes_line(sizes, result.components);
  return answer;
}

/// A neighbour of each vertex and some of the roots of trees, about as many again; at worst then
/// everything, in both directions.
Reads reads_of(const Algorithm::Where& where, const OptionValues&) {
  const double sampled = where.edges == 0 ? 0
                                          : std::min(1., 2 * static_cast<double>(where.vertices) /
                                                             static_cast<double>(where.edges));
  return {.kind = Reads::Kind::Traversal,
          .least = sampled,
          .most = sampled + (where.two_lists() ? 2 : 1)};
}

}  // namespace

const Algorithm& describe_components() {
  static const Algorithm algorithm{
      .name = "cc",
      .purpose = "Connected components, whatever the direction of the edges (Afforest)",
      .notes =
          "Result columns: vertex, component (the label of the component's first vertex).\n"
          "--top K lists the K largest components.",
      .examples = {"graph.fg", "graph.fg --top 10 -o components.tsv"},
      .options = {{.name = "no-sampling",
                   .meaning = "Link every edge, without looking for the largest component first",
                   .planned = true}},
      .columns = {{"component", "the label of the component's first vertex"}},
      .facts = {{.name = "components"},
                {.name = "largest"},
                {.name = "largest_sizes", .kind = FactInfo::Kind::Counts}},
      .state =
          [](const Algorithm::Where& where, const OptionValues& values) {
            return components_state(!values.flag("no-sampling"), where.id_bytes);
          },
      .reads = reads_of,
      .run = run_components};
  return algorithm;
}

}  // namespace fathom
