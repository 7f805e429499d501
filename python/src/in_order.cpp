// Algorithms of one thread whose answers depend on the order of vertices and of their lists: what a
// NetworkX program gets from its dictionaries, ties and the order of results included. The parallel
// ones (scc, levels, color, cdlp) give components, levels, colours and labels, but no such order.
#include "in_order.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "lists.hpp"

namespace fathom::python {
namespace {

using Ends = std::vector<std::int64_t>;

// Strong components.

/// Tarjan's algorithm (SIAM J. Comput. 1(2), 1972) as Nuutila and Soisalon-Soininen have it
/// (Inf. Process. Lett. 49(1), 1994): the stack holds only vertices that are no roots.
class StrongComponents {
 public:
  explicit StrongComponents(const Lists& lists)
      : lists_(lists),
        next_(lists.vertices()),
        visited_(lists.vertices()),
        low_(lists.vertices()),
        done_(lists.vertices()) {}

  void run(Ticker ticker) {
    for (Row source = 0; at(source) < lists_.vertices(); ++source) {
      if (visited_[at(source)] != 0) continue;
      way_.assign(1, source);
      visited_[at(source)] = ++visits_;
      while (!way_.empty()) {
        const Row v = way_.back();
        const Row onward = next_unvisited(v);
        if (onward != kNone) {
          visited_[at(onward)] = ++visits_;
          way_.push_back(onward);
          continue;
        }
        ticker.tick();
        way_.pop_back();
        finish(v);
      }
    }
  }

  Rows members;  // by components, in the order in which these were found
  Ends ends;     // of the components

 private:
  Row next_unvisited(Row v) {
    const std::span<const Row> targets = lists_.of(v);
    while (next_[at(v)] < targets.size()) {
      const Row w = targets[next_[at(v)]++];
      if (visited_[at(w)] == 0) return w;
    }
    return kNone;
  }
  void finish(Row v) {
    low_[at(v)] = visited_[at(v)];
    for (const Row w : lists_.of(v)) {
      if (done_[at(w)]) continue;
      const bool later = visited_[at(w)] > visited_[at(v)];
      low_[at(v)] = std::min(low_[at(v)], later ? low_[at(w)] : visited_[at(w)]);
    }
    if (low_[at(v)] != visited_[at(v)]) {
      waiting_.push_back(v);
      return;
    }
    take(v);
    while (!waiting_.empty() && visited_[at(waiting_.back())] > visited_[at(v)]) {
      take(waiting_.back());
      waiting_.pop_back();
    }
    ends.push_back(static_cast<std::int64_t>(members.size()));
  }
  void take(Row v) {
    done_[at(v)] = true;
    members.push_back(v);
  }

  Lists lists_;
  std::vector<std::size_t> next_;  // in the list of each vertex
  std::vector<std::int32_t> visited_, low_;
  std::vector<bool> done_;
  Rows way_, waiting_;
  std::int32_t visits_ = 0;
};

/// (members, ends of components).
nb::tuple strong_components(const Offsets& offset, const Targets& target) {
  const Lists lists(offset, target);
  StrongComponents found(lists);
  interruptibly([&](Ticker ticker) { found.run(ticker); });
  return nb::make_tuple(owned_array(std::move(found.members)), owned_array(std::move(found.ends)));
}

// Acyclic graphs.

/// (order, ends of generations); of a graph with cycles what they do not hold up (Kahn, CACM 5(11),
/// 1962).
nb::tuple generations(const Offsets& offset, const Targets& target) {
  const Lists lists(offset, target);
  Rows order;
  Ends ends;
  interruptibly([&](Ticker ticker) {
    std::vector<std::int64_t> waits_for(lists.vertices());
    for (const Row w : lists.target) ++waits_for[at(w)];
    for (Row v = 0; at(v) < lists.vertices(); ++v)
      if (waits_for[at(v)] == 0) order.push_back(v);
    for (std::size_t next = 0; next < order.size();) {
      const std::size_t end = order.size();
      ends.push_back(static_cast<std::int64_t>(end));
      for (; next < end; ++next) {
        ticker.tick();
        for (const Row w : lists.of(order[next]))
          if (--waits_for[at(w)] == 0) order.push_back(w);
      }
    }
  });
  return nb::make_tuple(owned_array(std::move(order)), owned_array(std::move(ends)));
}

/// Rows of a longest path by weights, of lists of in-edges in a topological order; a path of less
/// than nothing is left out.
nb::object longest_path(const Offsets& offset, const Targets& target, const Weights& weight,
                        const Targets& order) {
  const Lists in(offset, target, &weight);
  check_rows(in, rows_of(order));
  Rows path;
  interruptibly([&](Ticker ticker) {
    std::vector<double> longest(in.vertices());
    Rows before(in.vertices(), kNone);
    Row last = kNone;
    for (const Row v : rows_of(order)) {
      ticker.tick();
      const std::span<const Row> sources = in.of(v);
      const double* const weights = in.weights_of(v);
      double best = -std::numeric_limits<double>::infinity();
      Row from = kNone;
      for (std::size_t i = 0; i < sources.size(); ++i) {
        const double length = longest[at(sources[i])] + weights[i];
        if (length <= best) continue;
        best = length;
        from = sources[i];
      }
      if (best >= 0) {
        longest[at(v)] = best;
        before[at(v)] = from;
      }
      if (last == kNone || longest[at(v)] > longest[at(last)]) last = v;
    }
    for (Row v = last; v != kNone; v = before[at(v)]) path.push_back(v);
    std::reverse(path.begin(), path.end());
  });
  return owned_array(std::move(path));
}

// Colours.

/// (rows in the order in which they were coloured, their colours 1 or 0, whether an edge joins two
/// of a colour); from the first vertex with out-edges of each component, depth first.
nb::tuple two_colors(const Offsets& out_offset, const Targets& out_target, const Offsets& in_offset,
                     const Targets& in_target, bool directed) {
  const Lists out(out_offset, out_target), in(in_offset, in_target);
  Rows order, of_order;
  bool odd = false;
  interruptibly([&](Ticker ticker) {
    Rows color(out.vertices(), kNone), stack;
    const auto give = [&](Row v, Row its) {
      color[at(v)] = its;
      order.push_back(v);
      of_order.push_back(its);
      stack.push_back(v);
    };
    const auto pass = [&](Row v, std::span<const Row> neighbours) {
      for (const Row w : neighbours) {
        if (color[at(w)] == kNone) give(w, 1 - color[at(v)]);
        if (color[at(w)] == color[at(v)]) odd = true;
      }
    };
    for (Row source = 0; at(source) < out.vertices() && !odd; ++source) {
      if (color[at(source)] != kNone || out.of(source).empty()) continue;
      give(source, 1);
      while (!stack.empty() && !odd) {
        const Row v = stack.back();
        stack.pop_back();
        ticker.tick();
        if (directed) pass(v, in.of(v));
        pass(v, out.of(v));
      }
    }
  });
  return nb::make_tuple(owned_array(std::move(order)), owned_array(std::move(of_order)), odd);
}

/// [n]: to each vertex in turn the first colour that none of its list has.
nb::object greedy_colors(const Offsets& offset, const Targets& target, const Targets& order) {
  const Lists lists(offset, target);
  check_rows(lists, rows_of(order));
  Rows color(lists.vertices(), kNone);
  interruptibly([&](Ticker ticker) {
    Rows taken_by(lists.vertices() + 1, kNone);  // of each colour
    for (const Row v : rows_of(order)) {
      ticker.tick();
      for (const Row w : lists.of(v))
        if (color[at(w)] != kNone) taken_by[at(color[at(w)])] = v;
      Row first = 0;
      while (taken_by[at(first)] == v) ++first;
      color[at(v)] = first;
    }
  });
  return owned_array(std::move(color));
}

/// (sources, targets) of the edges, in their order, that have no end with one before.
nb::tuple matching(const Offsets& offset, const Targets& target) {
  const Lists lists(offset, target);
  Rows from, to;
  interruptibly([&](Ticker ticker) {
    std::vector<bool> covered(lists.vertices());
    for (Row v = 0; at(v) < lists.vertices(); ++v) {
      ticker.tick();
      for (const Row w : lists.of(v)) {
        if (covered[at(v)]) break;
        if (covered[at(w)] || v == w) continue;
        covered[at(v)] = covered[at(w)] = true;
        from.push_back(v);
        to.push_back(w);
      }
    }
  });
  return nb::make_tuple(owned_array(std::move(from)), owned_array(std::move(to)));
}

// Layers and labels.

/// Peels layers off, least degrees first (Hebert-Dufresne et al., Sci. Rep. 6, 2016).
class Onion {
 public:
  explicit Onion(const Lists& lists)
      : lists_(lists), degree_(lists.vertices()), done_(lists.vertices()) {
    for (Row v = 0; at(v) < lists.vertices(); ++v) {
      degree_[at(v)] = lists.of(v).size();
      put(v);
    }
  }

  void run(Ticker ticker) {
    std::size_t core = 0;
    Rows layer = by_degree_.empty() ? Rows{} : by_degree_[0];
    for (Row number = 1; order.size() < lists_.vertices();) {
      if (!layer.empty()) {
        layer = peel(layer, core, number++, ticker);
        continue;
      }
      ++core;
      for (const Row v : by_degree_[core])
        if (!done_[at(v)] && degree_[at(v)] == core) layer.push_back(v);
    }
  }

  Rows order, layer_of;  // by order

 private:
  void put(Row v) {
    by_degree_.resize(std::max(by_degree_.size(), degree_[at(v)] + 1));
    by_degree_[degree_[at(v)]].push_back(v);
  }
  /// What is no more than the core's when the layer is gone: the next one.
  Rows peel(Rows& layer, std::size_t core, Row number, Ticker& ticker) {
    std::sort(layer.begin(), layer.end(), [&](Row v, Row w) {
      return degree_[at(v)] != degree_[at(w)] ? degree_[at(v)] < degree_[at(w)] : v < w;
    });
    for (const Row v : layer) done_[at(v)] = true;
    Rows next;
    for (const Row v : layer) {
      ticker.tick();
      order.push_back(v);
      layer_of.push_back(number);
      for (const Row w : lists_.of(v)) {
        if (done_[at(w)]) continue;
        const std::size_t left = --degree_[at(w)];
        if (left > core) put(w);
        if (left == core) next.push_back(w);
      }
    }
    return next;
  }

  Lists lists_;
  std::vector<std::size_t> degree_;
  std::vector<bool> done_;
  std::vector<Rows> by_degree_;  // those whose degree it is, or was
};

/// (order, layers by order).
nb::tuple onion(const Offsets& offset, const Targets& target) {
  Onion found{Lists(offset, target)};
  interruptibly([&](Ticker ticker) { found.run(ticker); });
  return nb::make_tuple(owned_array(std::move(found.order)),
                        owned_array(std::move(found.layer_of)));
}

/// Labels that most neighbours have; of several the vertex's own stays, or else the largest wins
/// (Cordasco and Gargano, IJSNM 1(1), 2012).
class Propagation {
 public:
  explicit Propagation(const Lists& lists)
      : label(lists.vertices()), lists_(lists), count_(lists.vertices()) {
    std::iota(label.begin(), label.end(), Row{0});
  }

  /// Until no label changes. `order`: neighbours of a vertex are not asked at the same time.
  void run(std::span<const Row> order, Ticker ticker) {
    for (bool changed = true; changed;) {
      changed = false;
      for (const Row v : order) {
        ticker.tick();
        const Row best = best_of(v);
        changed |= best != label[at(v)];
        label[at(v)] = best;
      }
    }
  }

  Rows label;

 private:
  Row best_of(Row v) {
    std::int64_t most = 0;
    Row best = label[at(v)];
    const std::span<const Row> neighbours = lists_.of(v);
    for (const Row w : neighbours) most = std::max(most, ++count_[at(label[at(w)])]);
    if (count_[at(best)] < most) {
      best = kNone;
      for (const Row w : neighbours)
        if (count_[at(label[at(w)])] == most) best = std::max(best, label[at(w)]);
    }
    for (const Row w : neighbours) count_[at(label[at(w)])] = 0;
    return best;
  }

  Lists lists_;
  std::vector<std::int64_t> count_;  // of each label, in one list
};

/// [n]: labels, which are rows.
nb::object propagation(const Offsets& offset, const Targets& target, const Targets& order) {
  const Lists lists(offset, target);
  check_rows(lists, rows_of(order));
  Propagation found(lists);
  interruptibly([&](Ticker ticker) { found.run(rows_of(order), ticker); });
  return owned_array(std::move(found.label));
}

}  // namespace

void add_in_order(nb::module_& module) {
  const auto offset = nb::arg("offset"), target = nb::arg("target");
  module.def("strong_components", strong_components, offset, target);
  module.def("generations", generations, offset, target);
  module.def("longest_path", longest_path, offset, target, nb::arg("weight"), nb::arg("order"));
  module.def("two_colors", two_colors, nb::arg("out_offset"), nb::arg("out_target"),
             nb::arg("in_offset"), nb::arg("in_target"), nb::arg("directed"));
  module.def("greedy_colors", greedy_colors, offset, target, nb::arg("order"));
  module.def("matching", matching, offset, target);
  module.def("onion", onion, offset, target);
  module.def("propagation", propagation, offset, target, nb::arg("order"));
}

}  // namespace fathom::python
