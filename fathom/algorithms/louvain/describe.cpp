#include "fathom/algorithms/louvain/describe.hpp"

#include <fmt/format.h>

#include <memory>

#include "fathom/algorithms/described/set_sizes.hpp"
#include "fathom/algorithms/state_sizes.hpp"
#include "fathom/core/units.hpp"

namespace fathom {

LouvainOptions detail::options_of_communities(const OptionValues& values) {
  return {.resolution = values.real("resolution"),
          .tolerance = values.real("tolerance"),
          .levels = static_cast<std::uint32_t>(values.count("max-levels")),
          .rounds = static_cast<std::uint32_t>(values.count("iterations")),
          .seed = values.count("seed")};
}

void detail::fill_in(Answer& answer, const char* name, const LouvainResult& result) {
  const std::vector<std::uint64_t> sizes = largest_sizes(result.community.span());
  answer.facts = {{"communities", std::uint64_t{result.communities}},
                  {"largest_sizes", sizes},
                  {"modularity", result.modularity},
                  {"levels", std::uint64_t{result.levels}},
                  {"rounds", std::uint64_t{result.rounds}},
                  {"converged", result.converged}};
  answer.columns = {{"community", result.community.span(), std::nullopt, AnswerColumn::Kind::Set}};
  answer.summary =
      fmt::format("{}: {} communit{} of {} vertices, modularity {:.6g}, {} level{}, {} round{}\n",
                  name, format_count(result.communities), result.communities == 1 ? "y" : "ies",
                  format_count(result.community.size()), result.modularity, result.levels,
                  result.levels == 1 ? "" : "s", result.rounds, result.rounds == 1 ? "" : "s") +
      sizes_line(sizes, result.communities);
}

Algorithm detail::describe_communities() {
  const LouvainOptions standard;
  return {.options = {{.name = "resolution",
                       .kind = OptionInfo::Kind::Real,
                       .value = "G",
                       .meaning = "Above 1: more and smaller communities; below: fewer",
                       .shows_default = true,
                       .real = standard.resolution},
                      {.name = "tolerance",
                       .kind = OptionInfo::Kind::Real,
                       .value = "T",
                       .meaning = "Ends after a level that raises modularity by less",
                       .shows_default = true,
                       .real = standard.tolerance},
                      {.name = "max-levels",
                       .kind = OptionInfo::Kind::Count,
                       .value = "N",
                       .meaning = "At most so many times communities become vertices",
                       .most = OptionInfo::kMost32,
                       .positive = true,
                       .count = standard.levels,
                       .shows_default = true},
                      {.name = "iterations",
                       .kind = OptionInfo::Kind::Count,
                       .value = "N",
                       .meaning = "At most so many rounds of moves in a level",
                       .most = OptionInfo::kMost32,
                       .positive = true,
                       .count = standard.rounds,
                       .shows_default = true},
                      {.name = "seed",
                       .kind = OptionInfo::Kind::Count,
                       .value = "S",
                       .meaning = "Other communities about as good: who moves at the same time",
                       .shows_default = true}},
          .columns = {{"community", "the first vertex of the community"}},
          .facts = {{.name = "communities"},
                    {.name = "largest_sizes", .kind = FactInfo::Kind::Counts},
                    {.name = "modularity", .kind = FactInfo::Kind::Real},
                    {.name = "levels", .meaning = "times that communities became vertices"},
                    {.name = "rounds", .meaning = "rounds of moves, of all levels"},
                    {.name = "converged",
                     .kind = FactInfo::Kind::Flag,
                     .meaning = "at the end no community gained by joining another"}},
          .of = Algorithm::Of::Undirected};
}

namespace {

Answer run_louvain(const Context& ctx, const Graph& graph, const OptionValues& values) {
  const LouvainOptions options = detail::options_of_communities(values);
  const auto kept = std::make_shared<const LouvainResult>(louvain(ctx, graph, options));
  Answer answer =
      answer_of(kept, [options](const Context& on, const Graph& of, const LouvainResult& its) {
        verify_louvain(on, of, options, its);
      });
  detail::fill_in(answer, "louvain", *kept);
  return answer;
}

/// Measured on R-MAT graphs and grids: of the first level, and of all others together.
Reads reads_of(const Algorithm::Where& where, const OptionValues&) {
  const double heaviest = where.weighted ? 1 : 0;  // weights are read to find it
  return {.kind = Reads::Kind::Traversal, .least = 6 + heaviest, .most = 12 + heaviest};
}

}  // namespace

const Algorithm& describe_louvain() {
  static const Algorithm algorithm = [] {
    Algorithm its = detail::describe_communities();
    its.name = "louvain";
    its.purpose = "Communities by modularity: the Louvain method";
    its.notes =
        "Vertices move to neighbouring communities as long as that raises modularity, then\n"
        "communities do. Edges count by their weights, if there are any; the graph is\n"
        "undirected. A seed gives the same communities everywhere. Result columns: vertex,\n"
        "community. --top K lists the K largest communities.";
    its.examples = {"graph.fg --top 10", "graph.fg --resolution 2 -o communities.tsv"};
    its.state = [](const Algorithm::Where& where, const OptionValues&) {
      return louvain_state(where.id_bytes);
    };
    its.reads = reads_of;
    its.run = run_louvain;
    return its;
  }();
  return algorithm;
}

}  // namespace fathom
