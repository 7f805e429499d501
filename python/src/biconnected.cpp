// Biconnected components and articulation points in the order in which NetworkX finds them, of one
// thread. The parallel algorithm (biconnected) gives the same ones, in no such order.
#include <algorithm>
#include <utility>
#include <vector>

#include "in_order.hpp"
#include "lists.hpp"

namespace fathom::python {
namespace {

/// A depth-first search with the edges that no component has taken yet on a stack (Hopcroft and
/// Tarjan, CACM 16(6), 1973).
class Biconnected {
 public:
  explicit Biconnected(const Lists& lists)
      : lists_(lists),
        found_(lists.vertices(), kNone),
        low_(lists.vertices()),
        edge_(lists.vertices()) {}

  void run(Ticker ticker) {
    for (Row start = 0; at(start) < lists_.vertices(); ++start)
      if (found_[at(start)] == kNone) search(start, ticker);
  }

  Rows ends_of_edges;              // by components
  std::vector<std::int64_t> ends;  // of the components
  Rows points;                     // a point as often as it parts something

 private:
  struct Step {
    Row before, vertex;
    std::size_t next;  // in the vertex's list
  };

  void search(Row start, Ticker& ticker) {
    std::int32_t number = 0;
    std::size_t branches = 0;
    found_[at(start)] = low_[at(start)] = number++;
    way_.assign(1, {start, start, 0});
    while (!way_.empty()) {
      auto& [before, v, next] = way_.back();
      const std::span<const Row> neighbours = lists_.of(v);
      if (next == neighbours.size()) {
        ticker.tick();
        branches += leave(before, v);
        continue;
      }
      const Row w = neighbours[next++];
      if (w == before) continue;
      if (found_[at(w)] == kNone) {
        found_[at(w)] = low_[at(w)] = number++;
        edge_[at(w)] = edges_.size();
        edges_.emplace_back(v, w);
        way_.push_back({v, w, 0});
      } else if (found_[at(w)] <= found_[at(v)]) {
        low_[at(v)] = std::min(low_[at(v)], found_[at(w)]);
        edges_.emplace_back(v, w);
      }
    }
    if (branches > 1) points.push_back(start);
  }
  /// Whether it was a branch of the start.
  bool leave(Row before, Row v) {
    way_.pop_back();
    if (way_.empty()) return false;
    const bool branch = way_.size() == 1;
    if (branch || low_[at(v)] >= found_[at(before)]) {
      if (!branch) points.push_back(before);
      take(edge_[at(v)]);
    }
    low_[at(before)] = std::min(low_[at(before)], low_[at(v)]);
    return branch;
  }
  /// The edges from this one on are a component.
  void take(std::size_t first) {
    for (std::size_t i = first; i < edges_.size(); ++i) {
      ends_of_edges.push_back(edges_[i].first);
      ends_of_edges.push_back(edges_[i].second);
    }
    edges_.resize(first);
    ends.push_back(static_cast<std::int64_t>(ends_of_edges.size()));
  }

  Lists lists_;
  std::vector<std::int32_t> found_, low_;
  std::vector<std::size_t> edge_;  // that the search came by: where it is in edges_
  std::vector<std::pair<Row, Row>> edges_;
  std::vector<Step> way_;
};

/// (ends of the edges of components, where each component ends, articulation points, as often as
/// they part something).
nb::tuple biconnected(const Offsets& offset, const Targets& target) {
  Biconnected found{Lists(offset, target)};
  interruptibly([&](Ticker ticker) { found.run(ticker); });
  return nb::make_tuple(owned_array(std::move(found.ends_of_edges)),
                        owned_array(std::move(found.ends)), owned_array(std::move(found.points)));
}

}  // namespace

void add_biconnected(nb::module_& module) {
  module.def("biconnected", biconnected, nb::arg("offset"), nb::arg("target"));
}

}  // namespace fathom::python
