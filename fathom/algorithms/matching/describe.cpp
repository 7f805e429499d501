#include <fmt/format.h>

#include "fathom/algorithms/described/algorithm.hpp"
#include "fathom/algorithms/matching/matching.hpp"
#include "fathom/algorithms/state_sizes.hpp"
#include "fathom/core/units.hpp"

namespace fathom {
namespace {

Answer run_matching(const Context& ctx, const Graph& graph, const OptionValues& values) {
  const MatchingOptions options{values.count("seed")};
  const auto kept = std::make_shared<const MatchingResult>(maximal_matching(ctx, graph, options));
  const MatchingResult& result = *kept;
  Answer answer =
      answer_of(kept, [options](const Context& on, const Graph& of, const MatchingResult& its) {
        verify_matching(on, of, options, its);
      });
  answer.facts = {{"total_weight", result.total},
                  {"edges", std::uint64_t{result.edges}},
                  {"rounds", std::uint64_t{result.rounds}}};
  answer.columns = {
      {"weight", result.weight.span()},
      {"partner", result.partner.span(), std::uint64_t{kNoVertex}, AnswerColumn::Kind::Vertex}};
  answer.summary = fmt::format("matching: {} edge{} of {} vertices, total weight {}, {} round{}\n",
                               format_count(result.edges), result.edges == 1 ? "" : "s",
                               format_count(result.partner.size()), result.total, result.rounds,
                               result.rounds == 1 ? "" : "s");
  return answer;
}

}  // namespace

const Algorithm& describe_matching() {
  static const Algorithm algorithm{
      .name = "matching",
      .purpose = "A maximal matching of an undirected graph, heavy edges first (Suitor)",
      .notes =
          "No two edges of a matching share a vertex. These are the ones that are found by asking\n"
          "edges one by one, heavy ones first, equal ones in an order that the seed decides. No "
          "edge\n"
          "can be added, and where no weight is below 0 they weigh at least half as much as any\n"
          "matching. Without weights edges have weight 1. Result columns: vertex, weight, partner\n"
          "(-1: none). --top K lists K vertices of the heaviest edges above 0.",
      .examples = {"similar.fg -o pairs.tsv", "graph.fg --seed 7 --verify"},
      .options = {{.name = "seed",
                   .kind = OptionInfo::Kind::Count,
                   .value = "S",
                   .meaning = "Another matching: the order of edges of one weight",
                   .shows_default = true}},
      .columns = {{"weight", "of the edge to the partner; 0 without one"},
                  {"partner", "the other end of the vertex's edge; -1: none"}},
      .facts = {{.name = "total_weight", .kind = FactInfo::Kind::Real},
                {.name = "edges", .meaning = "pairs of partners"},
                {.name = "rounds", .meaning = "rounds of proposals"}},
      .ranks_zero = false,
      .of = Algorithm::Of::Undirected,
      .state = [](const Algorithm::Where& where,
                  const OptionValues&) { return matching_state(where.id_bytes); },
      // Measured on R-MAT, uniform graphs and grids, with weights and without.
      .reads =
          [](const Algorithm::Where&, const OptionValues&) {
            return Reads{.kind = Reads::Kind::Traversal, .least = 1.3, .most = 1.8};
          },
      .run = run_matching};
  return algorithm;
}

}  // namespace fathom
