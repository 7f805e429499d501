#include <fmt/format.h>

#include "fathom/algorithms/color/color.hpp"
#include "fathom/algorithms/described/algorithm.hpp"
#include "fathom/algorithms/state_sizes.hpp"
#include "fathom/core/units.hpp"

namespace fathom {
namespace {

Answer run_color(const Context& ctx, const Graph& graph, const OptionValues& values) {
  const ColorOptions options{values.count("seed")};
  const auto kept = std::make_shared<const ColorResult>(color_vertices(ctx, graph, options));
  const ColorResult& result = *kept;
  Answer answer =
      answer_of(kept, [options](const Context& on, const Graph& of, const ColorResult& its) {
        verify_color(on, of, options, its);
      });
  answer.facts = {{"colors", std::uint64_t{result.colors}},
                  {"rounds", std::uint64_t{result.rounds}}};
  answer.columns = {{"color", result.color.span()}};
  answer.summary =
      fmt::format("color: {} colour{} for {} vertices, {} round{}\n", format_count(result.colors),
                  result.colors == 1 ? "" : "s", format_count(result.color.size()), result.rounds,
                  result.rounds == 1 ? "" : "s");
  return answer;
}

/// Once to count, once to tell; the few vertices whose neighbours have 64 colours read again.
/// Without in-edges there is no telling how many rounds read all that have no colour.
Reads reads_of(const Algorithm::Where& where, const OptionValues&) {
  if (where.directed && !where.has_in) return {};
  const double ends = where.directed ? 2 : 1;
  return {.kind = Reads::Kind::Traversal, .least = 2 * ends, .most = 2.5 * ends};
}

}  // namespace

const Algorithm& describe_color() {
  static const Algorithm algorithm{
      .name = "color",
      .purpose = "Greedy vertex colouring, vertices of many edges first (Jones-Plassmann)",
      .notes =
          "Edges count in either direction, loops do not matter. A seed gives the same colours\n"
          "everywhere: those of the greedy choice that asks vertices one by one, those of many\n"
          "edges first, and gives each the smallest colour that no neighbour has. Result columns:\n"
          "vertex, color (from 0). --top K lists K vertices of the highest colours.",
      .examples = {"graph.fg", "graph.fg --seed 7 -o colors.tsv"},
      .options = {{.name = "seed",
                   .kind = OptionInfo::Kind::Count,
                   .value = "S",
                   .meaning = "Another colouring: the order of vertices of about the same degree",
                   .shows_default = true}},
      .columns = {{"color", "from 0; the ends of an edge have different ones"}},
      .facts = {{.name = "colors", .meaning = "how many there are"},
                {.name = "rounds", .meaning = "rounds of choosing"}},
      .state =
          [](const Algorithm::Where& where, const OptionValues&) {
            return color_state(where.directed, where.has_in, where.one_device);
          },
      .reads = reads_of,
      .run = run_color};
  return algorithm;
}

}  // namespace fathom
