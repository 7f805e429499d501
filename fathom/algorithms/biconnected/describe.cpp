#include <fmt/format.h>

#include "fathom/algorithms/biconnected/biconnected.hpp"
#include "fathom/algorithms/described/algorithm.hpp"
#include "fathom/algorithms/state_sizes.hpp"
#include "fathom/core/units.hpp"

namespace fathom {
namespace {

Answer run_biconnected(const Context& ctx, const Graph& graph, const OptionValues&) {
  const auto kept = std::make_shared<const BiconnectedResult>(biconnected_components(ctx, graph));
  const BiconnectedResult& result = *kept;
  Answer answer = answer_of(kept, verify_biconnected);
  answer.facts = {{"components", std::uint64_t{result.components}},
                  {"bridges", std::uint64_t{result.bridges}},
                  {"articulation_points", std::uint64_t{result.articulation_points}},
                  {"largest", std::uint64_t{result.largest}}};
  answer.columns = {{"component", result.component.span(), std::nullopt, AnswerColumn::Kind::Set},
                    {"parent", result.parent.span(), std::nullopt, AnswerColumn::Kind::Vertex},
                    {"articulation", result.articulation.span()},
                    {"bridge", result.bridge.span()}};
  answer.summary = fmt::format(
      "biconnected: {} component{}, the largest of {} vertices, {} bridge{}, {} articulation "
      "point{}\n",
      format_count(result.components), result.components == 1 ? "" : "s",
      format_count(result.largest), format_count(result.bridges), result.bridges == 1 ? "" : "s",
      format_count(result.articulation_points), result.articulation_points == 1 ? "" : "s");
  return answer;
}

}  // namespace

const Algorithm& describe_biconnected() {
  static const Algorithm algorithm{
      .name = "biconnected",
      .purpose = "Biconnected components, bridges and articulation points (FAST-BCC)",
      .notes =
          "Edges on a common cycle are in one component; of an undirected graph, where parallel\n"
          "edges are one and loops do not matter. Each vertex has a parent in its tree, and the\n"
          "component of the edge to it; a root, its own parent, has no such edge and is alone in\n"
          "its component. Any edge is in the component of the end that has more steps to the "
          "root.\n"
          "Result columns: vertex, component (the label of the first vertex whose edge to its\n"
          "parent is in it), parent, articulation (1: more parts are left without the vertex),\n"
          "bridge (1: without the edge to the parent). --top K lists the K components of most\n"
          "edges to parents, one less than they have vertices.",
      .examples = {"roads.fg", "graph.fg --top 10 -o components.tsv"},
      .columns = {{"component",
                   "of the edge to the parent: the label of the first vertex that has "
                   "an edge to its parent there; a root its own"},
                  {"parent", "in the tree, a root its own"},
                  {"articulation", "1 where more parts are left without the vertex, else 0"},
                  {"bridge", "1 where the edge to the parent is in no cycle, else 0"}},
      .facts = {{.name = "components", .meaning = "roots are not counted"},
                {.name = "bridges"},
                {.name = "articulation_points"},
                {.name = "largest", .meaning = "vertices of the largest component"}},
      .of = Algorithm::Of::Undirected,
      .state = [](const Algorithm::Where& where,
                  const OptionValues&) { return biconnected_state(where.id_bytes); },
      // Measured on R-MAT, uniform graphs and grids; the forest takes two thirds of it.
      .reads =
          [](const Algorithm::Where&, const OptionValues&) {
            return Reads{.kind = Reads::Kind::Traversal, .least = 2, .most = 3.6};
          },
      .run = run_biconnected};
  return algorithm;
}

}  // namespace fathom
