#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fathom/algorithms/cdlp/cdlp.hpp"
#include "fathom/algorithms/described/algorithm.hpp"
#include "fathom/algorithms/described/set_sizes.hpp"
#include "fathom/algorithms/state_sizes.hpp"
#include "fathom/core/units.hpp"

namespace fathom {
namespace {

/// A result, and the rows that labels were compared by, which certificates need after the run.
struct CdlpAnswer {
  std::vector<VertexId> row;
  CdlpOptions options;
  CdlpResult result;
  RunReport report;
};

Answer run_cdlp(const Context& ctx, const Graph& graph, const OptionValues& values) {
  const auto made = std::make_shared<CdlpAnswer>();
  made->row.assign(values.rows.begin(), values.rows.end());
  made->options = {static_cast<std::uint32_t>(values.count("iterations")), made->row,
                   values.flag("async"), values.count("seed"), values.checkpoint};
  made->result = label_propagation(ctx, graph, made->options);
  made->report = made->result.report;
  const CdlpResult& result = made->result;
  const std::vector<std::uint64_t> sizes = largest_sizes(result.label.span());
  Answer answer = answer_of(std::shared_ptr<const CdlpAnswer>(made),
                            [](const Context& on, const Graph& of, const CdlpAnswer& its) {
                              verify_cdlp(on, of, its.options, its.result);
                            });
  answer.facts = {{"communities", std::uint64_t{result.communities}},
                  {"largest_sizes", sizes},
                  {"iterations", std::uint64_t{result.iterations}},
                  {"stable", result.stable}};
  answer.columns = {{"label", result.label.span(), std::nullopt, AnswerColumn::Kind::Label}};
  answer.summary =
      fmt::format("cdlp: {} communit{} of {} vertices, {} iteration{}, labels {}stable\n",
                  format_count(result.communities), result.communities == 1 ? "y" : "ies",
                  format_count(result.label.size()), result.iterations,
                  result.iterations == 1 ? "" : "s", result.stable ? "" : "not ") +
      sizes_line(sizes, result.communities);
  return answer;
}

/// Labels of most graphs are not stable before the last iteration, if ever.
Reads reads_of(const Algorithm::Where&, const OptionValues& values) {
  const auto limit = static_cast<double>(values.count("iterations"));
  return {
      .kind = Reads::Kind::Sweeps, .least = std::min(2., limit), .most = limit, .builds_in = true};
}

}  // namespace

const Algorithm& describe_cdlp() {
  static const CdlpOptions standard;
  static const Algorithm algorithm{
      .name = "cdlp",
      .purpose = "Communities by label propagation: the label that most neighbours have",
      .notes =
          "Each vertex starts with its own label. In each iteration all vertices take, at the\n"
          "same time, the label that most of their neighbours have, of several the one that comes\n"
          "first among the labels of vertices. Every edge counts, in either direction, so that\n"
          "one each way counts twice (the CDLP of LDBC Graphalytics).\n\n"
          "With --async blocks of vertices take labels one after the other, and each vertex keeps\n"
          "its label where no other is more frequent: labels become stable (Raghavan et al. "
          "2007).\n"
          "--verify checks the last iteration, with --async whether stable labels are. Result\n"
          "columns: vertex, label. --top K lists the K labels that most vertices have.",
      .examples = {"graph.fg --top 10", "graph.fg --iterations 5 -o communities.tsv",
                   "graph.fg --async --iterations 100"},
      .options = {{.name = "iterations",
                   .kind = OptionInfo::Kind::Count,
                   .value = "N",
                   .meaning = "At most so many; fewer when an iteration changes no label",
                   .most = OptionInfo::kMost32,
                   .positive = true,
                   .count = standard.iterations,
                   .shows_default = true,
                   .planned = true},
                  {.name = "async",
                   .kind = OptionInfo::Kind::Flag,
                   .meaning = "Labels count as soon as a block of vertices has them"},
                  {.name = "seed",
                   .kind = OptionInfo::Kind::Count,
                   .value = "S",
                   .meaning = "With --async: which vertices sit out, in every second iteration",
                   .count = standard.seed,
                   .shows_default = true}},
      .columns = {{"label", "that of a vertex, which need not be in the community"}},
      .facts = {{.name = "communities", .meaning = "distinct labels"},
                {.name = "largest_sizes", .kind = FactInfo::Kind::Counts},
                {.name = "iterations"},
                {.name = "stable",
                 .kind = FactInfo::Kind::Flag,
                 .meaning = "the last iteration changed no label"}},
      .sweeps = true,
      .checkpoints = true,
      .state = [](const Algorithm::Where& where,
                  const OptionValues&) { return cdlp_state(where.directed, where.id_bytes); },
      .reads = reads_of,
      .run = run_cdlp};
  return algorithm;
}

}  // namespace fathom
