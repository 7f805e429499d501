#include "tests/reference/structure/spanning_forest.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace reference {

SpanningForest spanning_forest(const Graph& g, bool maximum) {
  std::vector<std::tuple<float, Vertex, Vertex>> order;
  for (const auto& [u, v, w] : g.edges)
    order.emplace_back(maximum ? -w : w, std::min(u, v), std::max(u, v));
  std::sort(order.begin(), order.end());

  std::vector<Vertex> piece(g.n);
  std::iota(piece.begin(), piece.end(), Vertex{0});
  std::vector<std::vector<Arc>> tree(g.n);
  SpanningForest forest;
  for (const auto& [w, u, v] : order) {
    const Vertex from = piece[u], to = piece[v];
    if (from == to) continue;
    std::replace(piece.begin(), piece.end(), from, to);
    tree[u].push_back({v, maximum ? -w : w});
    tree[v].push_back({u, maximum ? -w : w});
    ++forest.edges;
  }

  forest.parent.assign(g.n, kNone);
  forest.weight.assign(g.n, 0);
  for (Vertex root = 0; root < g.n; ++root) {
    if (forest.parent[root] != kNone) continue;
    forest.parent[root] = root;
    for (std::vector<Vertex> open{root}; !open.empty();) {
      const Vertex v = open.back();
      open.pop_back();
      for (const Arc& arc : tree[v]) {
        if (forest.parent[arc.target] != kNone) continue;
        forest.parent[arc.target] = v;
        forest.weight[arc.target] = arc.weight;
        open.push_back(arc.target);
      }
    }
  }
  return forest;
}

}  // namespace reference
