#include <fmt/format.h>

#include "fathom/algorithms/described/algorithm.hpp"
#include "fathom/algorithms/harmonic/harmonic.hpp"
#include "fathom/algorithms/multi_search/describe_parts.hpp"
#include "fathom/algorithms/state_sizes.hpp"
#include "fathom/core/units.hpp"

namespace fathom {

static Answer run_harmonic(const Context& ctx, const Graph& graph, const OptionValues& values) {
  const HarmonicOptions options{static_cast<VertexId>(values.count("k")), values.count("seed")};
  const auto kept = std::make_shared<const HarmonicResult>(harmonic(ctx, graph, options));
  const HarmonicResult& result = *kept;
  Answer answer =
      answer_of(kept, [options](const Context& on, const Graph& of, const HarmonicResult& its) {
        verify_harmonic(on, of, options, its);
      });
  answer.facts = {{"sources", std::uint64_t{result.sources.size()}}};
  answer.columns = {{"harmonic", result.centrality.span()}};
  answer.summary =
      fmt::format("harmonic: {} source{} of {} vertices\n", format_count(result.sources.size()),
                  result.sources.size() == 1 ? "" : "s", format_count(result.centrality.size()));
  return answer;
}

const Algorithm& describe_harmonic() {
  static const Algorithm algorithm{
      .name = "harmonic",
      .purpose = "Harmonic centrality: how near each vertex is to those that reach it",
      .notes =
          "The value of x is the sum of 1 / d(y, x) over all other vertices y, where d counts "
          "edges\n"
          "from y to x; it is not normalised. Exact centrality searches from every vertex: for "
          "large\n"
          "graphs use --k. Result columns: vertex, harmonic.",
      .examples = {"graph.fg --k 64 --top 10", "small.fg -o harmonic.tsv"},
      .options = {{.name = "k",
                   .kind = OptionInfo::Kind::Count,
                   .value = "N",
                   .meaning = "Estimate from N random sources (default: all vertices, exact)",
                   .least = 2,
                   .most = kNoVertex - 1,
                   .planned = true},
                  {.name = "seed",
                   .kind = OptionInfo::Kind::Count,
                   .value = "S",
                   .meaning = "Which random sources",
                   .shows_default = true}},
      .columns = {{"harmonic", "the sum of 1 / distance from every vertex that reaches it"}},
      .facts = {{.name = "sources", .meaning = "searched from"}},
      .ranks_zero = false,
      .shows_best = true,
      .state = [](const Algorithm::Where& where,
                  const OptionValues&) { return harmonic_state(where.id_bytes); },
      // The searches are those of closeness, and what is added up takes no longer.
      .reads =
          [](const Algorithm::Where& where, const OptionValues& values) {
            return reads_in_batches(where, values.count("k"));
          },
      .run = run_harmonic};
  return algorithm;
}

}  // namespace fathom
