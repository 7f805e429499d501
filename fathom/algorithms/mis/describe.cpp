#include <fmt/format.h>

#include "fathom/algorithms/described/algorithm.hpp"
#include "fathom/algorithms/mis/mis.hpp"
#include "fathom/algorithms/state_sizes.hpp"
#include "fathom/core/units.hpp"

namespace fathom {
namespace {

Answer run_mis(const Context& ctx, const Graph& graph, const OptionValues& values) {
  const MisOptions options{values.count("seed"),
                           values.mode("order") == "random" ? MisOrder::Random : MisOrder::Degree};
  const auto kept = std::make_shared<const MisResult>(maximal_independent_set(ctx, graph, options));
  const MisResult& result = *kept;
  Answer answer =
      answer_of(kept, [options](const Context& on, const Graph& of, const MisResult& its) {
        verify_mis(on, of, options, its);
      });
  answer.facts = {{"size", std::uint64_t{result.size}}, {"rounds", std::uint64_t{result.rounds}}};
  answer.columns = {{"in_set", result.in_set.span()}};
  answer.summary =
      fmt::format("mis: {} of {} vertices, {} round{}\n", format_count(result.size),
                  format_count(result.in_set.size()), result.rounds, result.rounds == 1 ? "" : "s");
  return answer;
}

/// Measured on R-MAT, uniform graphs and grids; without in-edges all is read from either end.
Reads reads_of(const Algorithm::Where& where, const OptionValues& values) {
  const bool one_sided = where.directed && !where.has_in;
  const bool random = values.mode("order") == "random";
  const double ends = where.directed ? 2 : 1;
  return {.kind = Reads::Kind::Traversal,
          .least = (random ? 1.4 : 1.1) * ends + (one_sided && !random ? 1 : 0),
          .most = 1.7 * ends + (one_sided ? 1 : 0)};
}

}  // namespace

const Algorithm& describe_mis() {
  static const Algorithm algorithm{
      .name = "mis",
      .purpose = "A maximal independent set: no edges inside, and nobody can be added",
      .notes =
          "Edges count in either direction, loops do not matter. A seed gives the same set\n"
          "everywhere: the one that is found by asking vertices one by one, those of few edges\n"
          "first. Result columns: vertex, in_set (1 or 0). --top K lists K vertices of the set.",
      .examples = {"graph.fg", "graph.fg --seed 7 -o set.tsv"},
      .options = {{.name = "seed",
                   .kind = OptionInfo::Kind::Count,
                   .value = "S",
                   .meaning = "Another set: the order of vertices of about the same degree",
                   .shows_default = true},
                  {.name = "order",
                   .kind = OptionInfo::Kind::Mode,
                   .meaning = "Who is asked first: vertices of few edges (larger sets), or anyone",
                   .choices = {"degree", "random"},
                   .mode = "degree",
                   .planned = true}},
      .columns = {{"in_set", "1: in the set, 0: not"}},
      .facts = {{.name = "size", .meaning = "vertices of the set"},
                {.name = "rounds", .meaning = "rounds of choosing"}},
      .ranks_zero = false,
      .state = [](const Algorithm::Where& where,
                  const OptionValues&) { return mis_state(where.directed, where.has_in); },
      .reads = reads_of,
      .run = run_mis};
  return algorithm;
}

}  // namespace fathom
