#include <fmt/format.h>

#include "fathom/algorithms/bipartite/bipartite.hpp"
#include "fathom/algorithms/described/algorithm.hpp"
#include "fathom/algorithms/state_sizes.hpp"
#include "fathom/core/units.hpp"

namespace fathom {
namespace {

constexpr std::size_t kShownOfCycle = 8;     // vertices, in the summary
constexpr std::size_t kNamedOfCycle = 1000;  // in the report

std::string summary_of(const BipartiteResult& result, const std::vector<std::string>& cycle) {
  if (result.bipartite())
    return fmt::format("bipartite: yes, {} and {} vertices\n", format_count(result.on_side[0]),
                       format_count(result.on_side[1]));
  std::string text =
      fmt::format("bipartite: no, {} of {} vertices in components with an odd cycle\n",
                  format_count(result.without), format_count(result.side.size()));
  text += fmt::format("  an odd cycle of {}: ", format_count(result.cycle.size()));
  for (std::size_t i = 0; i < cycle.size() && i < kShownOfCycle; ++i) text += cycle[i] + " - ";
  return text + (result.cycle.size() > kShownOfCycle ? "... - " : "") + cycle[0] + "\n";
}

Answer run_bipartite(const Context& ctx, const Graph& graph, const OptionValues& values) {
  const auto kept = std::make_shared<const BipartiteResult>(two_sides(ctx, graph));
  const BipartiteResult& result = *kept;
  std::vector<std::string> cycle;
  for (const VertexId v : result.cycle) {
    if (cycle.size() == kNamedOfCycle) break;
    cycle.push_back(values.label_of(v));
  }
  Answer answer = answer_of(kept, verify_bipartite);
  answer.facts = {{"bipartite", result.bipartite()},
                  {"side_0", std::uint64_t{result.on_side[0]}},
                  {"side_1", std::uint64_t{result.on_side[1]}},
                  {"without_side", std::uint64_t{result.without}},
                  {"cycle_length", std::uint64_t{result.cycle.size()}},
                  {"cycle", cycle}};
  answer.columns = {{"side", result.side.span(), kNoSide}};
  answer.summary = summary_of(result, cycle);
  return answer;
}

/// Once; of a component with an odd cycle at most twice more.
Reads reads_of(const Algorithm::Where& where, const OptionValues&) {
  if (where.directed && !where.has_in) return {};
  return {.kind = Reads::Kind::Traversal, .least = 1, .most = where.directed ? 4. : 3.};
}

}  // namespace

const Algorithm& describe_bipartite() {
  static const Algorithm algorithm{
      .name = "bipartite",
      .purpose = "The two sides of a bipartite graph, or an odd cycle",
      .notes =
          "Edges count in either direction. Each edge joins the two sides; the first vertex of a\n"
          "component is on side 0. Where a component has an odd cycle its vertices have no side,\n"
          "and one such cycle is named. A loop is one. Result columns: vertex, side (-1: none).",
      .examples = {"graph.fg -o sides.tsv", "graph.fg --verify"},
      .options = {},
      .columns = {{"side", "0 or 1; -1 in a component with an odd cycle"}},
      .facts = {{.name = "bipartite", .kind = FactInfo::Kind::Flag},
                {.name = "side_0", .meaning = "vertices on it"},
                {.name = "side_1", .meaning = "vertices on it"},
                {.name = "without_side", .meaning = "vertices in components with an odd cycle"},
                {.name = "cycle_length", .meaning = "vertices of the cycle; 0: there is none"},
                {.name = "cycle",
                 .kind = FactInfo::Kind::Texts,
                 .meaning = "its vertices, along edges, by their labels; at most the first 1000"}},
      .state = [](const Algorithm::Where& where,
                  const OptionValues&) { return bipartite_state(where.id_bytes); },
      .reads = reads_of,
      .run = run_bipartite};
  return algorithm;
}

}  // namespace fathom
