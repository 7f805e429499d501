#include "tests/reference/rcm.hpp"

#include <algorithm>
#include <map>

#include "tests/reference/components.hpp"

namespace reference {
namespace {

struct Search {
  std::vector<Vertex> queue;
  std::vector<int> level;  // of each in the queue
};

class CuthillMcKee {
 public:
  explicit CuthillMcKee(const Graph& g) : neighbours_(g.n), degree_(g.n, 0) {
    for (Vertex v = 0; v < g.n; ++v) {
      for (const Arc& arc : g.out[v]) neighbours_[v].push_back(arc.target);
      if (g.directed)
        for (const Arc& arc : g.in[v]) neighbours_[v].push_back(arc.target);
      degree_[v] = neighbours_[v].size();
    }
    for (auto& list : neighbours_)
      std::sort(list.begin(), list.end(), [&](Vertex a, Vertex b) { return less(a, b); });
  }

  bool less(Vertex a, Vertex b) const {
    return degree_[a] != degree_[b] ? degree_[a] < degree_[b] : a < b;
  }

  Search from(Vertex start) const {
    std::vector<bool> met(neighbours_.size(), false);
    Search s{{start}, {0}};
    met[start] = true;
    for (std::size_t i = 0; i < s.queue.size(); ++i)
      for (const Vertex v : neighbours_[s.queue[i]])
        if (!met[v]) {
          met[v] = true;
          s.queue.push_back(v);
          s.level.push_back(s.level[i] + 1);
        }
    return s;
  }

  std::vector<Vertex> order(Vertex start) const {
    Search best = from(start);
    for (int searches = 1; searches < 8 && best.level.back() > 0; ++searches) {
      Vertex end = kNone;
      for (std::size_t i = 0; i < best.queue.size(); ++i)
        if (best.level[i] == best.level.back() && (end == kNone || less(best.queue[i], end)))
          end = best.queue[i];
      Search next = from(end);
      if (next.level.back() <= best.level.back()) break;
      best = next;
    }
    std::reverse(best.queue.begin(), best.queue.end());
    return best.queue;
  }

 private:
  std::vector<std::vector<Vertex>> neighbours_;
  std::vector<std::size_t> degree_;
};

}  // namespace

std::vector<Vertex> rcm_order(const Graph& g) {
  const CuthillMcKee rcm(g);
  const std::vector<Vertex> component = components(g);
  std::map<Vertex, Vertex> start;
  for (Vertex v = 0; v < g.n; ++v) {
    const auto [at, fresh] = start.emplace(component[v], v);
    if (!fresh && rcm.less(v, at->second)) at->second = v;
  }
  std::vector<std::vector<Vertex>> orders;
  for (const auto& [label, vertex] : start) orders.push_back(rcm.order(vertex));
  std::stable_sort(orders.begin(), orders.end(),
                   [](const auto& a, const auto& b) { return a.size() > b.size(); });
  std::vector<Vertex> all;
  for (const auto& order : orders) all.insert(all.end(), order.begin(), order.end());
  return all;
}

}  // namespace reference
