#include <fmt/format.h>

#include "fathom/algorithms/described/algorithm.hpp"
#include "fathom/algorithms/levels/levels.hpp"
#include "fathom/algorithms/state_sizes.hpp"
#include "fathom/core/units.hpp"

namespace fathom {
namespace {

constexpr std::size_t kShownOfCycle = 8;     // vertices, in the summary
constexpr std::size_t kNamedOfCycle = 1000;  // in the report

std::string cycle_line(const std::vector<std::string>& names, std::size_t length) {
  std::string line = fmt::format("  a cycle of {}: ", format_count(length));
  for (std::size_t i = 0; i < names.size() && i < kShownOfCycle; ++i) line += names[i] + " -> ";
  return line + (length > kShownOfCycle ? "... -> " : "") + names[0] + "\n";
}

Answer run_levels(const Context& ctx, const Graph& graph, const OptionValues& values) {
  const auto kept = std::make_shared<const LevelsResult>(topological_levels(ctx, graph));
  const LevelsResult& result = *kept;
  std::vector<std::string> cycle;
  for (const VertexId v : result.cycle) {
    if (cycle.size() == kNamedOfCycle) break;
    cycle.push_back(values.label_of(v));
  }
  Answer answer = answer_of(kept, verify_levels);
  answer.facts = {{"acyclic", result.acyclic()},
                  {"levels", std::uint64_t{result.levels}},
                  {"without_level", std::uint64_t{result.without}},
                  {"cycle_length", std::uint64_t{result.cycle.size()}},
                  {"cycle", cycle}};
  answer.columns = {{"level", result.level.span(), kNoLevel}};
  answer.summary = fmt::format(
      "levels: {} level{}, {}\n", format_count(result.levels), result.levels == 1 ? "" : "s",
      result.acyclic()
          ? "no cycle"
          : fmt::format("{} of {} vertices on cycles or "
                        "behind them",
                        format_count(result.without), format_count(result.level.size())));
  if (!result.acyclic()) answer.summary += cycle_line(cycle, result.cycle.size());
  return answer;
}

}  // namespace

const Algorithm& describe_levels() {
  static const Algorithm algorithm{
      .name = "levels",
      .purpose = "Topological levels of a directed acyclic graph, or a cycle",
      .notes =
          "The level of a vertex is the number of edges of the longest path that ends there. Where "
          "the\n"
          "graph has cycles, one is named, and vertices on cycles and behind them have no level. "
          "A\n"
          "loop is a cycle. Result columns: vertex, level (-1: none).",
      .examples = {"tasks.fg -o levels.tsv", "tasks.fg --verify --top 10"},
      .options = {},
      .columns = {{"level", "edges of the longest path that ends there; -1 on or behind a cycle"}},
      .facts = {{.name = "acyclic", .kind = FactInfo::Kind::Flag},
                {.name = "levels", .meaning = "how many there are"},
                {.name = "without_level", .meaning = "vertices on cycles or behind them"},
                {.name = "cycle_length", .meaning = "vertices of the cycle; 0: there is none"},
                {.name = "cycle",
                 .kind = FactInfo::Kind::Texts,
                 .meaning = "its vertices, along edges, by their labels; at most the first 1000"}},
      .of = Algorithm::Of::Directed,
      .state = [](const Algorithm::Where& where,
                  const OptionValues&) { return levels_state(where.one_device, where.id_bytes); },
      // Lists of vertices with a level as it is given, of the others to find a cycle; without
      // in-edges all are read first, to count them.
      .reads =
          [](const Algorithm::Where& where, const OptionValues&) {
            const double reads = where.has_in ? 1 : 2;
            return Reads{.kind = Reads::Kind::Traversal,
                         .least = reads,
                         .most = reads,
                         .in_offsets = where.two_lists()};
          },
      .run = run_levels};
  return algorithm;
}

}  // namespace fathom
