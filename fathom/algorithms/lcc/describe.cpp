#include <fmt/format.h>

#include "fathom/algorithms/described/algorithm.hpp"
#include "fathom/algorithms/lcc/lcc.hpp"
#include "fathom/algorithms/state_sizes.hpp"
#include "fathom/core/units.hpp"

namespace fathom {
namespace {

Answer run_lcc(const Context& ctx, const Graph& graph, const OptionValues&) {
  const auto kept = std::make_shared<const LccResult>(local_clustering(ctx, graph));
  const LccResult& result = *kept;
  Answer answer = answer_of(kept, verify_lcc);
  answer.facts = {{"average_clustering", result.average}, {"transitivity", result.transitivity}};
  answer.columns = {{"lcc", result.coefficient.span()}};
  answer.summary =
      fmt::format("lcc: {} vertices, average clustering {:.6g}, transitivity {:.6g}\n",
                  format_count(result.coefficient.size()), result.average, result.transitivity);
  return answer;
}

/// Oriented lists are read for degrees, and for pairs about as tc reads them.
Reads reads_of(const Algorithm::Where& where, const OptionValues&) {
  return {.kind = Reads::Kind::Traversal, .least = where.directed ? 1. : 2., .most = 2};
}

}  // namespace

const Algorithm& describe_lcc() {
  static const Algorithm algorithm{
      .name = "lcc",
      .purpose = "Local clustering coefficients: the share of pairs of neighbours with an edge",
      .notes =
          "Neighbours are those at the other ends of edges in either direction. In directed "
          "graphs\n"
          "a pair may have two edges, one each way, and both count (the LCC of LDBC "
          "Graphalytics).\n"
          "Loops and duplicates do not matter; with fewer than two neighbours it is 0. The "
          "average\n"
          "is over all vertices; transitivity is the share of all vertices' pairs together. "
          "Result\n"
          "columns: vertex, lcc.",
      .examples = {"graph.fg", "graph.fg --top 10 -o clustering.tsv"},
      .columns = {{"lcc", "edges among its neighbours, as a share of all that there could be"}},
      .facts = {{.name = "average_clustering", .kind = FactInfo::Kind::Real},
                {.name = "transitivity",
                 .kind = FactInfo::Kind::Real,
                 .meaning = "linked pairs of neighbours, of all vertices, as a share of all"}},
      .reads_oriented = true,
      .ranks_zero = false,
      .state = [](const Algorithm::Where& where,
                  const OptionValues&) { return lcc_state(where.directed, where.id_bytes); },
      .reads = reads_of,
      .run = run_lcc};
  return algorithm;
}

}  // namespace fathom
