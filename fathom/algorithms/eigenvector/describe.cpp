#include <fmt/format.h>

#include "fathom/algorithms/described/algorithm.hpp"
#include "fathom/algorithms/eigenvector/eigenvector.hpp"
#include "fathom/algorithms/pagerank/describe_parts.hpp"
#include "fathom/algorithms/power/describe_parts.hpp"
#include "fathom/algorithms/state_sizes.hpp"

namespace fathom {

static Answer run_eigenvector(const Context& ctx, const Graph& graph, const OptionValues& values) {
  const auto options = power_options<EigenvectorOptions>(values);
  const auto kept = std::make_shared<const EigenvectorResult>(eigenvector(ctx, graph, options));
  const EigenvectorResult& result = *kept;
  Answer answer =
      answer_of(kept, [options](const Context& on, const Graph& of, const EigenvectorResult& its) {
        verify_eigenvector(on, of, options, its);
      });
  answer.facts = {{"eigenvalue", result.eigenvalue}};
  note_iteration(answer, result, options);
  answer.columns = {{"centrality", result.centrality.span()}};
  answer.summary = fmt::format("eigenvector: eigenvalue {:.6g}, {}", result.eigenvalue,
                               walk_end(answer.report, result.residual));
  return answer;
}

const Algorithm& describe_eigenvector() {
  static const EigenvectorOptions standard;
  static const Algorithm algorithm{
      .name = "eigenvector",
      .purpose = "Eigenvector centrality: important is who important ones point to",
      .notes =
          "The squares of the values sum to 1. Without cycles there is no such vector but 0: "
          "use\n"
          "katz there. Result columns: vertex, centrality.",
      .examples = {"web.fg --top 20", "friends.fg --weighted --tol 1e-9 -o centrality.tsv"},
      .options = {tolerance_option("Stop when a step changes all values together by less than this "
                                   "times the number of vertices",
                                   standard.tolerance),
                  max_iterations_option(standard.max_iterations), counted_weights_option()},
      .columns = {{"centrality", "the values of those that point here, over the eigenvalue"}},
      .facts = {{.name = "eigenvalue", .kind = FactInfo::Kind::Real},
                {.name = "residual", .kind = FactInfo::Kind::Real},
                {.name = "tolerance", .kind = FactInfo::Kind::Real},
                {.name = "weighted", .kind = FactInfo::Kind::Flag}},
      .sweeps = true,
      .shows_best = true,
      .checkpoints = true,
      .state =
          [](const Algorithm::Where& where, const OptionValues& values) {
            return power_state("eigenvector", values.flag("weighted") && where.weighted);
          },
      .reads =
          [](const Algorithm::Where& where, const OptionValues& values) {
            return reads_received(where, values, standard.tolerance);
          },
      .run = run_eigenvector};
  return algorithm;
}

}  // namespace fathom
