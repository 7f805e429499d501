#include <algorithm>
#include <cmath>

#include "fathom/algorithms/pagerank/describe_parts.hpp"
#include "fathom/algorithms/pagerank/pagerank.hpp"

namespace fathom {
namespace {

PagerankCompat compat_named(const std::string& name) {
  if (name == "networkx") return PagerankCompat::Networkx;
  return name == "gap" ? PagerankCompat::Gap : PagerankCompat::None;
}

PagerankOptions pagerank_options(const OptionValues& values) {
  PagerankOptions options;
  options.alpha = values.real("alpha");
  options.tolerance = values.real("tol");
  options.max_iterations = static_cast<std::uint32_t>(values.count("max-iter"));
  options.personalization = values.masses("personalization");
  options.weighted = values.flag("weighted");
  options.compat = compat_named(values.mode("compat"));
  options.in_place = !values.flag("no-in-place");
  options.checkpoint = values.checkpoint;
  return options;
}

Answer run_pagerank(const Context& ctx, const Graph& graph, const OptionValues& values) {
  const PagerankOptions options = pagerank_options(values);
  const auto kept = std::make_shared<const PagerankResult>(pagerank(ctx, graph, options));
  const PagerankResult& result = *kept;
  Answer answer =
      answer_of(kept, [options](const Context& on, const Graph& of, const PagerankResult& its) {
        verify_pagerank(on, of, options, its);
      });
  answer.report.iterations = result.iterations;
  answer.report.converged = result.converged;
  const std::string& compat = values.mode("compat");
  answer.facts = {{"residual", result.residual},
                  {"alpha", options.alpha},
                  {"tolerance", options.tolerance},
                  {"weighted", options.weighted},
                  {"compat", compat.empty() ? Fact::Value(nullptr) : compat}};
  answer.columns = {{"rank", result.rank.span()}};
  answer.summary = "pagerank: " + walk_end(answer.report, result.residual);
  return answer;
}

PlannedWalk planned_pagerank(const OptionValues& values) {
  return {.alpha = values.real("alpha"),
          .tolerance = values.real("tol"),
          .weighted = values.flag("weighted"),
          .personalized = !values.masses("personalization").empty(),
          .plain = values.flag("no-in-place")};
}

/// Pulls along in-edges, or reads out-edges where there are no others. How far below the worst case
/// a graph stays depends on its mixing, as in graphs that are alike; a fifth is a guess.
Reads reads_of(const Algorithm::Where& where, const OptionValues& values) {
  const auto limit = static_cast<double>(values.count("max-iter"));
  const double most = walk_bound(where, planned_pagerank(values));
  return {.kind = Reads::Kind::Sweeps,
          .least = std::min(limit, std::ceil(most / 5)),
          .most = std::min(limit, most),
          .pace = most / walk_bound(where, PlannedWalk()),
          .out_lists = !where.two_lists()};
}

}  // namespace

const Algorithm& describe_pagerank() {
  using enum OptionInfo::Kind;
  static const PagerankOptions standard;
  static const Algorithm algorithm{
      .name = "pagerank",
      .purpose = "Importance by incoming links (PageRank)",
      .notes = "Ranks sum to 1. Result columns: vertex, rank.",
      .examples = {"web.fg --top 20", "web.fg --personalization mine.tsv --tol 1e-9 -o ranks.tsv"},
      .options = {{.name = "alpha",
                   .kind = Real,
                   .value = "X",
                   .meaning = "Probability of following an edge, 0 to 1",
                   .shows_default = true,
                   .real = standard.alpha,
                   .planned = true},
                  tolerance_option("Stop when all ranks together change by less in an iteration",
                                   standard.tolerance),
                  max_iterations_option(standard.max_iterations),
                  {.name = "personalization",
                   .kind = Masses,
                   .value = "FILE",
                   .meaning =
                       "Where jumps go: lines of LABEL<TAB>WEIGHT; vertices not named get 0"},
                  weighted_walk_option(),
                  {.name = "compat",
                   .kind = Mode,
                   .meaning = "networkx: stop below tol times the number of vertices; gap: the "
                              "rank of vertices without out-edges is dropped instead of spread",
                   .choices = {"networkx", "gap"}},
                  {.name = "no-in-place",
                   .meaning =
                       "Power iteration everywhere (Jacobi): new ranks are not used at once, "
                       "and undirected graphs not solved by conjugate gradients",
                   .planned = true}},
      .columns = {{"rank", "the share of its time that the walk spends at the vertex"}},
      .facts = {{.name = "residual", .kind = FactInfo::Kind::Real},
                {.name = "alpha", .kind = FactInfo::Kind::Real},
                {.name = "tolerance", .kind = FactInfo::Kind::Real},
                {.name = "weighted", .kind = FactInfo::Kind::Flag},
                {.name = "compat",
                 .kind = FactInfo::Kind::Mode,
                 .may_be_null = true,
                 .choices = {"networkx", "gap"}}},
      .sweeps = true,
      .shows_best = true,
      .checkpoints = true,
      .state =
          [](const Algorithm::Where& where, const OptionValues& values) {
            return walk_state(where, planned_pagerank(values));
          },
      .reads = reads_of,
      .run = run_pagerank};
  return algorithm;
}

}  // namespace fathom
