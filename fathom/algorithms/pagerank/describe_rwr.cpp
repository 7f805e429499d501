#include <fmt/format.h>

#include <algorithm>

#include "fathom/algorithms/pagerank/describe_parts.hpp"
#include "fathom/algorithms/pagerank/rwr.hpp"
#include "fathom/algorithms/power/describe_parts.hpp"

namespace fathom {
namespace {

RwrOptions rwr_options(const OptionValues& values) {
  RwrOptions options;
  options.restart = values.real("restart");
  options.tolerance = values.real("tol");
  options.max_iterations = static_cast<std::uint32_t>(values.count("max-iter"));
  options.weighted = values.flag("weighted");
  options.checkpoint = values.checkpoint;
  return options;
}

Answer run_rwr(const Context& ctx, const Graph& graph, const OptionValues& values) {
  const RwrOptions options = rwr_options(values);
  if (values.flag("each") && values.checkpoint)
    throw Error(ErrorCode::Usage, "rwr: checkpoints are of one walk, not of each");
  if (values.flag("each")) return rwr_from_each(ctx, graph, values, options);
  if (values.count("k") > 0) throw Error(ErrorCode::Usage, "rwr: k needs each");
  const ChosenVertices& sources = values.vertices("source");
  const auto kept =
      std::make_shared<const RwrResult>(random_walk_with_restart(ctx, graph, sources.ids, options));
  const RwrResult& result = *kept;
  Answer answer = answer_of(
      kept, [options, ids = sources.ids](const Context& on, const Graph& of, const RwrResult& its) {
        verify_random_walk(on, of, ids, options, its);
      });
  answer.report.iterations = result.iterations;
  answer.report.converged = result.converged;
  answer.facts = {{"sources", sources.labels},
                  {"residual", result.residual},
                  {"restart", options.restart},
                  {"tolerance", options.tolerance},
                  {"weighted", options.weighted}};
  answer.columns = {{"probability", result.probability.span()}};
  answer.summary =
      fmt::format("rwr from {}: {}",
                  sources.labels.size() == 1 ? sources.labels[0]
                                             : fmt::format("{} sources", sources.labels.size()),
                  walk_end(answer.report, result.residual));
  return answer;
}

PlannedWalk planned_rwr(const OptionValues& values) {
  return {.alpha = 1 - values.real("restart"),
          .tolerance = values.real("tol"),
          .weighted = values.flag("weighted"),
          .personalized = true};
}

}  // namespace

const Algorithm& describe_rwr() {
  using enum OptionInfo::Kind;
  static const RwrOptions standard;
  static const Algorithm algorithm{
      .name = "rwr",
      .purpose = "Random walk with restart: nearness to a source (personalised PageRank)",
      .notes =
          "Probabilities sum to 1; where no edge leads on the walk restarts. Result columns: "
          "vertex,\n"
          "probability. With --each walks from several sources go along an edge together, and rows "
          "are\n"
          "pairs, columns: source, vertex, probability; of each source the most probable first,\n"
          "none of them 0. --top K then lists K of each source.",
      .examples = {"packages.fg --source libc6 --top 10",
                   "web.fg --source 1 2 --restart 0.3 -o near.tsv",
                   "web.fg --source 1 2 3 --each --k 100 -o nearest.tsv"},
      .options = {{.name = "source",
                   .kind = Vertices,
                   .value = "LABEL",
                   .meaning = "Where the walk restarts, by labels; several: each as likely",
                   .required = true},
                  {.name = "each",
                   .meaning = "Walk from each source alone: a row per source and vertex"},
                  {.name = "k",
                   .kind = Count,
                   .value = "N",
                   .meaning = "With --each, at most so many vertices of each source (default all)",
                   .positive = true},
                  {.name = "restart",
                   .kind = Real,
                   .value = "X",
                   .meaning = "Probability of a restart, 0 to 1",
                   .shows_default = true,
                   .real = standard.restart,
                   .planned = true},
                  tolerance_option(
                      "Stop when all probabilities together change by less in an iteration",
                      standard.tolerance),
                  max_iterations_option(standard.max_iterations),
                  weighted_walk_option()},
      .columns = {{"probability", "of finding the walk at the vertex"}},
      .facts = {{.name = "sources", .kind = FactInfo::Kind::Texts},
                {.name = "residual", .kind = FactInfo::Kind::Real, .without = "each"},
                {.name = "batch",
                 .meaning = "walks that went along an edge together, at most; 1: one by one",
                 .least = 1,
                 .with = "each"},
                {.name = "rows", .with = "each"},
                {.name = "each",
                 .kind = FactInfo::Kind::Groups,
                 .meaning = "with --each: one entry per source",
                 .of = {{.name = "source", .kind = FactInfo::Kind::Text},
                        {.name = "iterations", .meaning = "of those that went together"},
                        {.name = "residual", .kind = FactInfo::Kind::Real}},
                 .with = "each"},
                {.name = "restart", .kind = FactInfo::Kind::Real},
                {.name = "tolerance", .kind = FactInfo::Kind::Real},
                {.name = "weighted", .kind = FactInfo::Kind::Flag}},
      .other_rows = "each",
      .ranks_zero = false,
      .shows_best = true,
      .checkpoints = true,
      .state =
          [](const Algorithm::Where& where, const OptionValues& values) {
            StateSize size = walk_state(where, planned_rwr(values));
            size.algorithm = "rwr";
            return size;
          },
      // The walk pulls along in-edges, and reads out-edges where there are no others.
      .reads =
          [](const Algorithm::Where& where, const OptionValues& values) {
            Reads reads = reads_received(where, values, standard.tolerance);
            const double bound = walk_bound(where, planned_rwr(values));
            reads.most = std::min(reads.most, bound);
            reads.pace =
                bound / walk_bound(where, {1 - standard.restart, standard.tolerance, false, true});
            return reads;
          },
      .run = run_rwr};
  return algorithm;
}

}  // namespace fathom
