#include "tests/reference/sampling/second_order_walks.hpp"

namespace reference {
namespace {

void go_on(const Graph& g, const SecondOrder& bias, std::size_t steps, std::vector<Vertex>& walk,
           double so_far, std::map<std::vector<Vertex>, double>& found) {
  double sum = 0;
  std::map<Vertex, double> next;
  if (steps > 0)
    for (const Arc& arc : g.out[walk.back()]) {
      double share = bias.weighted ? double{arc.weight} : 1;
      if (walk.size() > 1) {
        const Vertex before = walk[walk.size() - 2];
        if (arc.target == before)
          share /= bias.p;
        else if (!has_edge(g, before, arc.target))
          share /= bias.q;
      }
      if (share == 0) continue;
      next[arc.target] += share;
      sum += share;
    }
  if (next.empty()) found[walk] += so_far;
  for (const auto& [v, share] : next) {
    walk.push_back(v);
    go_on(g, bias, steps - 1, walk, so_far * share / sum, found);
    walk.pop_back();
  }
}

}  // namespace

std::map<std::vector<Vertex>, double> walk_probabilities(const Graph& g, Vertex source,
                                                         std::size_t length,
                                                         const SecondOrder& bias) {
  std::map<std::vector<Vertex>, double> found;
  std::vector<Vertex> walk{source};
  go_on(g, bias, length, walk, 1, found);
  return found;
}

}  // namespace reference
