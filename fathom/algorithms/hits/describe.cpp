#include "fathom/algorithms/described/algorithm.hpp"
#include "fathom/algorithms/hits/hits.hpp"
#include "fathom/algorithms/pagerank/describe_parts.hpp"
#include "fathom/algorithms/power/describe_parts.hpp"
#include "fathom/algorithms/state_sizes.hpp"

namespace fathom {

static Answer run_hits(const Context& ctx, const Graph& graph, const OptionValues& values) {
  const auto options = power_options<HitsOptions>(values);
  const auto kept = std::make_shared<const HitsResult>(hits(ctx, graph, options));
  const HitsResult& result = *kept;
  Answer answer =
      answer_of(kept, [options](const Context& on, const Graph& of, const HitsResult& its) {
        verify_hits(on, of, options, its);
      });
  note_iteration(answer, result, options);
  answer.columns = {{"authority", result.authority.span()}, {"hub", result.hub.span()}};
  answer.summary = "hits: " + walk_end(answer.report, result.residual);
  return answer;
}

const Algorithm& describe_hits() {
  static const HitsOptions standard;
  static const Algorithm algorithm{
      .name = "hits",
      .purpose = "Hubs and authorities: good hubs point to good authorities (HITS)",
      .notes =
          "Hubs sum to 1, authorities too. Result columns: vertex, authority, hub; --top goes "
          "by\n"
          "authority.",
      .examples = {"web.fg --top 20", "citations.fg --weighted -o hits.tsv"},
      .options = {tolerance_option("Stop when all hubs together change by less in a step",
                                   standard.tolerance),
                  max_iterations_option(standard.max_iterations), counted_weights_option()},
      .columns = {{"authority", "the hubs that point here, added up"},
                  {"hub", "the authorities pointed to, added up"}},
      .facts = {{.name = "residual", .kind = FactInfo::Kind::Real},
                {.name = "tolerance", .kind = FactInfo::Kind::Real},
                {.name = "weighted", .kind = FactInfo::Kind::Flag}},
      .sweeps = true,
      .shows_best = true,
      .checkpoints = true,
      .state =
          [](const Algorithm::Where& where, const OptionValues& values) {
            return hits_state(values.flag("weighted") && where.weighted);
          },
      // Lists of both directions, which count as one read of all.
      .reads =
          [](const Algorithm::Where& where, const OptionValues& values) {
            Reads reads = reads_received(where, values, standard.tolerance);
            reads.out_lists = true;
            return reads;
          },
      .run = run_hits};
  return algorithm;
}

}  // namespace fathom
