#include <memory>

#include "fathom/algorithms/leiden/leiden.hpp"
#include "fathom/algorithms/louvain/describe.hpp"
#include "fathom/algorithms/state_sizes.hpp"

namespace fathom {
namespace {

Answer run_leiden(const Context& ctx, const Graph& graph, const OptionValues& values) {
  const LouvainOptions of_a_pass = detail::options_of_communities(values);
  const LeidenOptions options{.resolution = of_a_pass.resolution,
                              .tolerance = of_a_pass.tolerance,
                              .levels = of_a_pass.levels,
                              .rounds = of_a_pass.rounds,
                              .passes = static_cast<std::uint32_t>(values.count("passes")),
                              .seed = of_a_pass.seed};
  const auto kept = std::make_shared<const LeidenResult>(leiden(ctx, graph, options));
  Answer answer =
      answer_of(kept, [options](const Context& on, const Graph& of, const LeidenResult& its) {
        verify_leiden(on, of, options, its);
      });
  detail::fill_in(answer, "leiden", *kept);
  return answer;
}

/// Measured on R-MAT graphs and grids: of the first level, and of all others together. A pass that
/// begins with communities has less to move.
Reads reads_of_leiden(const Algorithm::Where& where, const OptionValues& values) {
  const double heaviest = where.weighted ? 1 : 0;  // weights are read to find it
  const auto least = [&](double passes) { return 5 + 8 * passes + heaviest; };
  const auto most = [&](double passes) { return 8 + 11 * passes + heaviest; };
  const auto passes = static_cast<double>(values.count("passes"));
  const auto standard = static_cast<double>(LeidenOptions().passes);
  const double work = (least(passes) + most(passes)) / (least(standard) + most(standard));
  return {.kind = Reads::Kind::Traversal,
          .least = least(passes),
          .most = most(passes),
          .least_work = work,
          .most_work = work};
}

}  // namespace

const Algorithm& describe_leiden() {
  static const Algorithm algorithm = [] {
    Algorithm its = detail::describe_communities();
    its.name = "leiden";
    its.purpose = "Connected communities by modularity: the Leiden method";
    its.notes =
        "As louvain, but every community is connected: parts of communities in which no\n"
        "vertex was left behind become vertices of the next level. Edges count by their\n"
        "weights, if there are any; the graph is undirected. A seed gives the same\n"
        "communities everywhere. Result columns: vertex, community. --top K lists the K\n"
        "largest communities.";
    its.examples = {"graph.fg --top 10", "graph.fg --resolution 2 -o communities.tsv"};
    for (OptionInfo& option : its.options)
      if (option.name == "max-levels")
        option.meaning = "At most so many times in a pass parts of communities become vertices";
    its.options.push_back({.name = "passes",
                           .kind = OptionInfo::Kind::Count,
                           .value = "N",
                           .meaning =
                               "At most so many times from vertices on; each begins with what "
                               "was found",
                           .most = OptionInfo::kMost32,
                           .positive = true,
                           .count = LeidenOptions{}.passes,
                           .shows_default = true,
                           .planned = true});
    its.state = [](const Algorithm::Where& where, const OptionValues&) {
      return leiden_state(where.id_bytes);
    };
    its.reads = reads_of_leiden;
    its.run = run_leiden;
    return its;
  }();
  return algorithm;
}

}  // namespace fathom
