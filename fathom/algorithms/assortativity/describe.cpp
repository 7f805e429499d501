#include <fmt/format.h>

#include <cmath>

#include "fathom/algorithms/assortativity/assortativity.hpp"
#include "fathom/algorithms/described/algorithm.hpp"
#include "fathom/algorithms/state_sizes.hpp"
#include "fathom/core/units.hpp"

namespace fathom {
namespace {

Answer run_assortativity(const Context& ctx, const Graph& graph, const OptionValues&) {
  const auto kept = std::make_shared<const AssortativityResult>(degree_assortativity(ctx, graph));
  const AssortativityResult& result = *kept;
  const bool none = std::isnan(result.coefficient);
  Answer answer = answer_of(kept, verify_assortativity);
  answer.facts = {{"assortativity", none ? Fact::Value(nullptr) : Fact::Value(result.coefficient)},
                  {"loops", result.loops}};
  answer.columns = {{"neighbor_degree", result.neighbor_degree.span()}};
  answer.summary =
      fmt::format("assortativity: {}, {} loop{}\n",
                  none ? "none, degrees do not vary" : fmt::format("{:.6f}", result.coefficient),
                  format_count(result.loops), result.loops == 1 ? "" : "s");
  return answer;
}

/// Once; where degrees are not lists' lengths alone, once more.
Reads reads_of(const Algorithm::Where& where, const OptionValues&) {
  const double reads = where.two_lists() ? 1 : 2;
  return {
      .kind = Reads::Kind::Sweeps, .least = reads, .most = reads, .in_offsets = where.two_lists()};
}

}  // namespace

const Algorithm& describe_assortativity() {
  static const Algorithm algorithm{
      .name = "assortativity",
      .purpose = "Whether edges join vertices of like degrees (-1 to 1), and neighbours' degrees",
      .notes =
          "The correlation, over all edges, of the degrees at their ends: in a directed graph the\n"
          "out-degree where an edge begins and the in-degree where it ends. Parallel edges count\n"
          "each; a loop counts twice in an undirected degree. Result columns: vertex,\n"
          "neighbor_degree (the mean over its list, of the same degrees; 0 without any).",
      .examples = {"graph.fg", "graph.fg -o neighbor_degrees.tsv --verify"},
      .options = {},
      .columns = {{"neighbor_degree",
                   "mean degree of its neighbours, directed: in-degree of those "
                   "its edges lead to"}},
      .facts = {{.name = "assortativity",
                 .kind = FactInfo::Kind::Real,
                 .meaning = "null where degrees do not vary",
                 .may_be_null = true},
                {.name = "loops", .meaning = "edges from a vertex to itself"}},
      .state = [](const Algorithm::Where&, const OptionValues&) { return assortativity_state(); },
      .reads = reads_of,
      .run = run_assortativity};
  return algorithm;
}

}  // namespace fathom
