#include "tests/reference/structure/scc.hpp"

#include <algorithm>
#include <utility>

namespace reference {
namespace {

struct Search {
  const Graph& g;
  std::vector<Vertex> order, lowest, label, open;    // order: kNone before a vertex is seen
  std::vector<std::pair<Vertex, std::size_t>> path;  // vertices, and the arc each goes on with
  Vertex seen = 0;

  explicit Search(const Graph& graph)
      : g(graph), order(g.n, kNone), lowest(g.n, kNone), label(g.n, kNone) {}

  void enter(Vertex v) {
    order[v] = lowest[v] = seen++;
    open.push_back(v);
    path.emplace_back(v, 0);
  }

  /// The vertices that were opened since v, and v, are a component.
  void close(Vertex v) {
    const auto first = std::find(open.rbegin(), open.rend(), v).base() - 1;
    const Vertex smallest = *std::min_element(first, open.end());
    std::for_each(first, open.end(), [&](Vertex u) { label[u] = smallest; });
    open.erase(first, open.end());
  }

  void from(Vertex start) {
    enter(start);
    while (!path.empty()) {
      const Vertex v = path.back().first;
      if (path.back().second < g.out[v].size()) {
        const Vertex next = g.out[v][path.back().second++].target;
        if (order[next] == kNone)
          enter(next);
        else if (label[next] == kNone)  // still open
          lowest[v] = std::min(lowest[v], order[next]);
        continue;
      }
      path.pop_back();
      if (!path.empty()) lowest[path.back().first] = std::min(lowest[path.back().first], lowest[v]);
      if (lowest[v] == order[v]) close(v);
    }
  }
};

}  // namespace

std::vector<Vertex> strong_components(const Graph& g) {
  Search search(g);
  for (Vertex v = 0; v < g.n; ++v)
    if (search.order[v] == kNone) search.from(v);
  return search.label;
}

}  // namespace reference
