#include "tests/reference/structure/biconnected.hpp"

#include <algorithm>
#include <set>

namespace reference {
namespace {

using Pair = std::pair<Vertex, Vertex>;

class Search {
 public:
  explicit Search(const Graph& g) : g_(g), time_(g.n, 0), low_(g.n, 0) {}

  void visit(Vertex v, Vertex from) {
    time_[v] = low_[v] = ++now_;
    for (const Arc& arc : g_.out[v]) {
      const Vertex w = arc.target;
      if (w == v || w == from || time_[w] > time_[v]) continue;
      stack_.emplace_back(v, w);
      if (time_[w] > 0) {
        low_[v] = std::min(low_[v], time_[w]);
        continue;
      }
      visit(w, v);
      low_[v] = std::min(low_[v], low_[w]);
      if (low_[w] >= time_[v]) take_until({v, w});
    }
  }
  bool visited(Vertex v) const { return time_[v] > 0; }

  std::vector<std::set<Pair>> components;

 private:
  void take_until(Pair last) {
    auto& its = components.emplace_back();
    for (bool done = false; !done;) {
      const Pair edge = stack_.back();
      stack_.pop_back();
      its.insert(std::minmax(edge.first, edge.second));
      done = edge == last;
    }
  }

  const Graph& g_;
  std::vector<std::size_t> time_, low_;
  std::size_t now_ = 0;
  std::vector<Pair> stack_;
};

}  // namespace

Biconnected biconnected(const Graph& g) {
  Search search(g);
  for (Vertex v = 0; v < g.n; ++v)
    if (!search.visited(v)) search.visit(v, v);
  Biconnected found;
  std::vector<std::size_t> in(g.n, 0);
  for (std::size_t i = 0; i < search.components.size(); ++i) {
    std::set<Vertex> ends;
    for (const Pair& edge : search.components[i]) {
      found.component[edge] = i;
      ends.insert({edge.first, edge.second});
    }
    for (const Vertex v : ends) ++in[v];
    found.edges.push_back(search.components[i].size());
    found.vertices.push_back(ends.size());
  }
  for (const std::size_t components : in) found.articulation.push_back(components > 1 ? 1 : 0);
  return found;
}

}  // namespace reference
