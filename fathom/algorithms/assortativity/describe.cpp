#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include "fathom/algorithms/assortativity/assortativity.hpp"
#include "fathom/algorithms/described/algorithm.hpp"
#include "fathom/algorithms/state_sizes.hpp"
#include "fathom/core/units.hpp"

namespace fathom {
namespace {

std::vector<Facts> facts_of(const std::vector<RichClub>& clubs) {
  std::vector<Facts> facts;
  facts.reserve(clubs.size());
  for (const RichClub& club : clubs)
    facts.push_back({{"degree", club.degree},
                     {"vertices", club.vertices},
                     {"edges", club.edges},
                     {"coefficient", club.coefficient}});
  return facts;
}

/// Those of the least degrees above a power of two each.
std::string show(const std::vector<RichClub>& clubs) {
  std::string text = "degree above      vertices         edges  coefficient\n";
  std::uint64_t next = 0;
  for (const RichClub& club : clubs) {
    if (club.degree < next) continue;
    text += fmt::format("{:>12}  {:>12}  {:>12}  {:>11.6f}\n", format_count(club.degree),
                        format_count(club.vertices), format_count(club.edges), club.coefficient);
    next = std::max<std::uint64_t>(1, std::bit_floor(club.degree) * 2);
  }
  return text;
}

Answer run_assortativity(const Context& ctx, const Graph& graph, const OptionValues& values) {
  const AssortativityOptions options{values.flag("rich-club")};
  const auto kept =
      std::make_shared<const AssortativityResult>(degree_assortativity(ctx, graph, options));
  const AssortativityResult& result = *kept;
  const bool none = std::isnan(result.coefficient);
  Answer answer = answer_of(kept, verify_assortativity);
  answer.facts = {{"assortativity", none ? Fact::Value(nullptr) : Fact::Value(result.coefficient)},
                  {"loops", result.loops}};
  if (options.rich_club) answer.facts.push_back({"rich_club", facts_of(result.rich_club)});
  answer.columns = {{"neighbor_degree", result.neighbor_degree.span()}};
  answer.summary =
      fmt::format("assortativity: {}, {} loop{}\n",
                  none ? "none, degrees do not vary" : fmt::format("{:.6f}", result.coefficient),
                  format_count(result.loops), result.loops == 1 ? "" : "s");
  if (options.rich_club) answer.summary += show(result.rich_club);
  return answer;
}

/// Once; where degrees are not lists' lengths alone, once more, and for rich clubs.
Reads reads_of(const Algorithm::Where& where, const OptionValues& values) {
  const double reads = (where.two_lists() ? 1 : 2) + (values.flag("rich-club") ? 1 : 0);
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
          "neighbor_degree (the mean over its list, of the same degrees; 0 without any).\n"
          "--rich-club: of the vertices above each degree, how many of the edges that there could\n"
          "be among them there are (undirected graphs; loops do not count, parallel edges each).",
      .examples = {"graph.fg", "graph.fg -o neighbor_degrees.tsv --verify",
                   "graph.fg --rich-club --json"},
      .options = {{.name = "rich-club",
                   .kind = OptionInfo::Kind::Flag,
                   .meaning = "Also how tightly vertices above each degree are joined",
                   .planned = true}},
      .columns = {{"neighbor_degree",
                   "mean degree of its neighbours, directed: in-degree of those "
                   "its edges lead to"}},
      .facts = {{.name = "assortativity",
                 .kind = FactInfo::Kind::Real,
                 .meaning = "null where degrees do not vary",
                 .may_be_null = true},
                {.name = "loops", .meaning = "edges from a vertex to itself"},
                {.name = "rich_club",
                 .kind = FactInfo::Kind::Groups,
                 .meaning = "ascending by degree",
                 .of = {{.name = "degree", .meaning = "vertices have a higher one"},
                        {.name = "vertices"},
                        {.name = "edges", .meaning = "among these"},
                        {.name = "coefficient",
                         .kind = FactInfo::Kind::Real,
                         .meaning = "edges, as a share of those that there could be"}},
                 .with = "rich-club"}},
      .state =
          [](const Algorithm::Where&, const OptionValues& values) {
            return assortativity_state(values.flag("rich-club"));
          },
      .reads = reads_of,
      .run = run_assortativity};
  return algorithm;
}

}  // namespace fathom
