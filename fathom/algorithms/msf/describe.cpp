#include <fmt/format.h>

#include "fathom/algorithms/described/algorithm.hpp"
#include "fathom/algorithms/msf/msf.hpp"
#include "fathom/algorithms/state_sizes.hpp"
#include "fathom/core/units.hpp"

namespace fathom {
namespace {

Answer run_msf(const Context& ctx, const Graph& graph, const OptionValues& values) {
  const MsfOptions options{.maximum = values.flag("maximum")};
  const auto kept = std::make_shared<const MsfResult>(minimum_spanning_forest(ctx, graph, options));
  const MsfResult& result = *kept;
  Answer answer =
      answer_of(kept, [options](const Context& on, const Graph& of, const MsfResult& its) {
        verify_msf(on, of, options, its);
      });
  answer.facts = {{"total_weight", result.total},
                  {"trees", std::uint64_t{result.trees}},
                  {"edges", std::uint64_t{result.edges}},
                  {"rounds", std::uint64_t{result.rounds}}};
  answer.columns = {{"weight", result.weight.span()},
                    {"parent", result.parent.span(), std::nullopt, AnswerColumn::Kind::Vertex}};
  answer.summary = fmt::format("msf: {} edge{} in {} tree{}, total weight {}, {} round{}\n",
                               format_count(result.edges), result.edges == 1 ? "" : "s",
                               format_count(result.trees), result.trees == 1 ? "" : "s",
                               result.total, result.rounds, result.rounds == 1 ? "" : "s");
  return answer;
}

}  // namespace

const Algorithm& describe_msf() {
  static const Algorithm algorithm{
      .name = "msf",
      .purpose = "A minimum spanning forest of an undirected graph (Boruvka)",
      .notes =
          "Each vertex has a parent in its tree, and the weight of the edge to it; a root is the\n"
          "first vertex of its tree, its own parent, and has weight 0. Without weights edges have\n"
          "weight 1. Of equal weights the edge of the smaller end comes first, then that of the\n"
          "smaller other end. Result columns: vertex, weight, parent. --top K lists the K edges\n"
          "of the greatest weights above 0.",
      .examples = {"roads.fg -o forest.tsv", "similar.fg --maximum --verify"},
      .options = {{.name = "maximum", .meaning = "Of the heaviest edges instead of the lightest"}},
      .columns = {{"weight", "of the edge to the parent; 0 of a root"},
                  {"parent", "in the tree, a root its own"}},
      .facts = {{.name = "total_weight", .kind = FactInfo::Kind::Real},
                {.name = "trees"},
                {.name = "edges", .meaning = "vertices less trees"},
                {.name = "rounds", .meaning = "rounds of choosing"}},
      .ranks_zero = false,
      .of = Algorithm::Of::Undirected,
      .state = [](const Algorithm::Where& where,
                  const OptionValues&) { return msf_state(where.id_bytes); },
      // Measured on R-MAT, uniform graphs and grids.
      .reads =
          [](const Algorithm::Where&, const OptionValues&) {
            return Reads{.kind = Reads::Kind::Traversal, .least = 1.7, .most = 2.6};
          },
      .run = run_msf};
  return algorithm;
}

}  // namespace fathom
