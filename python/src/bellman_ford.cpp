// Shortest paths by weights that may be negative, of one thread that takes vertices in the order in
// which NetworkX does: distances, all equally short predecessors, and their order.
#include <algorithm>
#include <deque>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "in_order.hpp"
#include "lists.hpp"

namespace fathom::python {
namespace {

/// Bellman and Ford's algorithm with a queue of vertices whose lists are due; a vertex waits while
/// one before it does. With `early` a cycle of less than nothing is mostly seen before some vertex
/// has been queued as often as there are vertices.
class BellmanFord {
 public:
  BellmanFord(const Lists& lists, bool early)
      : lists_(lists),
        early_(early),
        distance_(lists.vertices(), kFar),
        before_(lists.vertices()),
        times_(lists.vertices()),
        queued_(lists.vertices()),
        last_(lists.vertices(), kNone),
        update_(lists.vertices(), {kNone, kNone}) {}

  void from(Row source, Ticker ticker) {
    start(source);
    run(lists_.vertices(), ticker);
  }
  /// As from one vertex more that has an edge to each.
  void from_all(Ticker ticker) {
    for (Row v = 0; at(v) < lists_.vertices(); ++v) {
      start(v);
      update_[at(v)].second = v;
      times_[at(v)] = 1;
    }
    run(lists_.vertices() + 1, ticker);
  }

  /// (rows in the order in which they were reached, distances, ends of predecessors, these).
  nb::tuple result() {
    std::vector<double> distance;
    std::vector<std::int64_t> ends;
    Rows before;
    for (const Row v : order) {
      distance.push_back(distance_[at(v)]);
      before.insert(before.end(), before_[at(v)].begin(), before_[at(v)].end());
      ends.push_back(static_cast<std::int64_t>(before.size()));
    }
    return nb::make_tuple(owned_array(std::move(order)), owned_array(std::move(distance)),
                          owned_array(std::move(ends)), owned_array(std::move(before)), negative);
  }

  Rows order;             // in which vertices were reached
  bool negative = false;  // there is a cycle of less than nothing

 private:
  static constexpr double kFar = std::numeric_limits<double>::infinity();

  void start(Row source) {
    distance_[at(source)] = 0;
    order.push_back(source);
    queue_.push_back(source);
    queued_[at(source)] = true;
  }
  void run(std::size_t vertices, Ticker& ticker) {
    vertices_ = vertices;
    while (!queue_.empty() && !negative) {
      const Row v = queue_.front();
      queue_.pop_front();
      queued_[at(v)] = false;
      ticker.tick();
      const Rows& before = before_[at(v)];
      if (std::none_of(before.begin(), before.end(), [&](Row u) { return queued_[at(u)]; }))
        negative = !relax(v);
    }
  }
  /// False: a cycle of less than nothing was found.
  bool relax(Row v) {
    const std::span<const Row> targets = lists_.of(v);
    const double* const weights = lists_.weights_of(v);
    const double so_far = distance_[at(v)];
    for (std::size_t i = 0; i < targets.size(); ++i) {
      const Row w = targets[i];
      const double length = so_far + weights[i];
      if (length == distance_[at(w)]) before_[at(w)].push_back(v);
      if (length < distance_[at(w)] && !improve(v, w, length)) return false;
    }
    return true;
  }
  bool improve(Row v, Row w, double length) {
    const auto [from, to] = update_[at(v)];
    if (early_ && (w == from || w == to)) return false;  // the update came around
    update_[at(w)] = last_[at(w)] == v ? update_[at(v)] : std::pair{v, w};
    last_[at(w)] = v;
    if (!queued_[at(w)]) {
      queued_[at(w)] = true;
      queue_.push_back(w);
      if (++times_[at(w)] == vertices_) return false;
    }
    if (distance_[at(w)] == kFar) order.push_back(w);
    distance_[at(w)] = length;
    before_[at(w)].assign(1, v);
    return true;
  }

  Lists lists_;
  std::size_t vertices_ = 0;
  bool early_;
  std::vector<double> distance_;
  std::vector<Rows> before_;
  std::vector<std::size_t> times_;  // that it was queued
  std::vector<bool> queued_;
  Rows last_;                                // by whose list its distance last became less
  std::vector<std::pair<Row, Row>> update_;  // the edge that it became less by, or one before it
  std::deque<Row> queue_;
};

/// (rows in the order in which they were reached, distances, ends of predecessors, these, whether
/// there is a cycle of less than nothing).
nb::tuple relaxed(const Offsets& offset, const Targets& target, const Weights& weight, Row source,
                  bool early) {
  const Lists lists(offset, target, &weight);
  check_rows(lists, Rows{source});
  BellmanFord found(lists, early);
  interruptibly([&](Ticker ticker) { found.from(source, ticker); });
  return found.result();
}

bool negative_cycle(const Offsets& offset, const Targets& target, const Weights& weight) {
  BellmanFord found(Lists(offset, target, &weight), true);
  interruptibly([&](Ticker ticker) { found.from_all(ticker); });
  return found.negative;
}

}  // namespace

void add_bellman_ford(nb::module_& module) {
  const auto offset = nb::arg("offset"), target = nb::arg("target"), weight = nb::arg("weight");
  module.def("relaxed", relaxed, offset, target, weight, nb::arg("source"), nb::arg("early"));
  module.def("negative_cycle", negative_cycle, offset, target, weight);
}

}  // namespace fathom::python
