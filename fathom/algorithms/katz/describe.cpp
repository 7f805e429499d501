#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "fathom/algorithms/described/algorithm.hpp"
#include "fathom/algorithms/katz/katz.hpp"
#include "fathom/algorithms/pagerank/describe_parts.hpp"
#include "fathom/algorithms/power/describe_parts.hpp"
#include "fathom/algorithms/state_sizes.hpp"

namespace fathom {

static Answer run_katz(const Context& ctx, const Graph& graph, const OptionValues& values) {
  auto options = power_options<KatzOptions>(values);
  options.alpha = values.real("alpha");
  options.beta = values.real("beta");
  options.normalized = !values.flag("no-normalize");
  const auto kept = std::make_shared<const KatzResult>(katz(ctx, graph, options));
  const KatzResult& result = *kept;
  Answer answer =
      answer_of(kept, [options](const Context& on, const Graph& of, const KatzResult& its) {
        verify_katz(on, of, options, its);
      });
  answer.facts = {{"norm", result.norm}, {"alpha", options.alpha}, {"beta", options.beta}};
  note_iteration(answer, result, options);
  answer.columns = {{"centrality", result.centrality.span()}};
  answer.summary = "katz: " + walk_end(answer.report, result.residual);
  return answer;
}

/// Step k goes as far as walks of k edges weigh: alpha^k times their number, which grows by the
/// largest eigenvalue with each edge. There are as many paths of two edges for each of one, or,
/// measured on R-MAT and uniform graphs and grids, a little more.
static Reads reads_of(const Algorithm::Where& where, const OptionValues& values) {
  constexpr double kLeast = .8, kMost = 1.05, kMostSpan = 3;
  Reads reads = reads_received(where, values, values.real("tol"));
  const double alpha = values.real("alpha"), beta = values.real("beta");
  const double goal = values.real("tol") * static_cast<double>(where.vertices);
  if (where.two_paths <= 0 || where.edges == 0 || !(goal > 0) || values.flag("weighted"))
    return {.out_lists = reads.out_lists};
  const double second = alpha * alpha * beta * where.two_paths;
  const double shrinks = alpha * where.two_paths / static_cast<double>(where.edges);
  const auto steps = [&](double share) {
    return std::max(1., 2 + std::log(goal / second) / std::log(share * shrinks));
  };
  // Near to walks without end the eigenvalue would have to be known better.
  if (kMost * shrinks >= 1 || steps(kMost) > kMostSpan * steps(kLeast))
    return {.out_lists = reads.out_lists};
  reads.least = std::min(reads.most, std::floor(steps(kLeast)));
  reads.most = std::min(reads.most, std::ceil(steps(kMost)));
  reads.pace = 0;  // runs that are measured have another alpha
  return reads;
}

const Algorithm& describe_katz() {
  static const KatzOptions standard;
  static const Algorithm algorithm{
      .name = "katz",
      .purpose = "Katz centrality: all walks that end at a vertex, long ones less than short ones",
      .notes =
          "x = alpha A^T x + beta, scaled so that the squares of the values sum to 1. Alpha has "
          "to be\n"
          "below one over the largest eigenvalue (which `fathom eigenvector` tells). Result "
          "columns:\n"
          "vertex, centrality.",
      .examples = {"citations.fg --alpha 0.01 --top 20",
                   "friends.fg --alpha 0.002 --no-normalize -o centrality.tsv"},
      .options = {{.name = "alpha",
                   .kind = OptionInfo::Kind::Real,
                   .value = "X",
                   .meaning = "What an edge leaves of a walk",
                   .shows_default = true,
                   .real = standard.alpha,
                   .planned = true},
                  {.name = "beta",
                   .kind = OptionInfo::Kind::Real,
                   .value = "X",
                   .meaning = "What each vertex begins with",
                   .shows_default = true,
                   .real = standard.beta,
                   .planned = true},
                  tolerance_option("Stop when a step changes all values together by less than this "
                                   "times the number of vertices",
                                   standard.tolerance),
                  max_iterations_option(standard.max_iterations),
                  counted_weights_option(),
                  {.name = "no-normalize", .meaning = "Leave values as they are solved for"}},
      .columns = {{"centrality", "alpha times the values of those that point here, and beta"}},
      .facts = {{.name = "norm", .kind = FactInfo::Kind::Real},
                {.name = "alpha", .kind = FactInfo::Kind::Real},
                {.name = "beta", .kind = FactInfo::Kind::Real},
                {.name = "residual", .kind = FactInfo::Kind::Real},
                {.name = "tolerance", .kind = FactInfo::Kind::Real},
                {.name = "weighted", .kind = FactInfo::Kind::Flag}},
      .sweeps = true,
      .asks_two_paths = true,
      .shows_best = true,
      .checkpoints = true,
      .state =
          [](const Algorithm::Where& where, const OptionValues& values) {
            return power_state("katz", values.flag("weighted") && where.weighted);
          },
      .reads = reads_of,
      // Whatever walks add up to, it is below one over the largest eigenvalue.
      .measured = {{"katz", [](OptionValues& values) { values.set_real("alpha", 1e-9); }}},
      .run = run_katz};
  return algorithm;
}

}  // namespace fathom
