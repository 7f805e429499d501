#include "fathom/algorithms/louvain/describe.hpp"
#include "fathom/algorithms/leiden/leiden.hpp"
#include "fathom/algorithms/state_sizes.hpp"

namespace fathom {
namespace {

Answer run_leiden(const Context& ctx, const Graph& graph, const OptionValues& values) {
  return detail::answer_communities("leiden", ctx, graph, values, leiden, verify_leiden);
}

/// Measured on R-MAT graphs and grids: of the first level, and of all others together.
Reads reads_of_leiden(const Algorithm::Where& where, const OptionValues&) {
  const double heaviest = where.weighted ? 1 : 0;  // weights are read to find it
  return {.kind = Reads::Kind::Traversal, .least = 8 + heaviest, .most = 20 + heaviest};
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
