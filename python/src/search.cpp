// Searches of one thread that visit neighbours in the order of their lists, break ties by who came
// first, and add weights in double: what a NetworkX program gets from its dictionaries, vertex by
// vertex, parents and order included. Parallel ones (bfs, sssp) give the same distances only.
//
// Lists are compressed sparse rows: offset int64 [n + 1], target int32 [m], weight float64 [m].
#include "search.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <queue>
#include <span>
#include <tuple>
#include <vector>

#include "fathom/core/parallel.hpp"
#include "lists.hpp"

namespace fathom::python {
namespace {

// By hops.

struct Reached {
  Rows order, parent;  // by order
  std::vector<std::int64_t> level_end;
};

Reached by_hops(const Lists& lists, const Rows& sources, std::int64_t limit, Ticker ticker) {
  Reached found;
  std::vector<bool> seen(lists.vertices());
  for (const Row s : sources) {
    if (seen[at(s)]) continue;
    seen[at(s)] = true;
    found.order.push_back(s);
    found.parent.push_back(kNone);
  }
  std::size_t next = 0;
  found.level_end.push_back(static_cast<std::int64_t>(found.order.size()));
  for (std::int64_t level = 0; level < limit && next < found.order.size(); ++level) {
    for (const std::size_t end = found.order.size(); next < end; ++next) {
      const Row v = found.order[next];
      ticker.tick();
      for (const Row w : lists.of(v)) {
        if (seen[at(w)]) continue;
        seen[at(w)] = true;
        found.order.push_back(w);
        found.parent.push_back(v);
      }
    }
    if (next < found.order.size())
      found.level_end.push_back(static_cast<std::int64_t>(found.order.size()));
  }
  return found;
}

/// (order, parent: -1 of a source, level_end: how many of the order are within 0, 1, ... hops).
nb::tuple search(const Offsets& offset, const Targets& target, const Rows& sources,
                 std::int64_t limit) {
  const Lists lists(offset, target);
  check_rows(lists, sources);
  Reached found;
  interruptibly([&](Ticker ticker) { found = by_hops(lists, sources, limit, ticker); });
  return nb::make_tuple(owned_array(std::move(found.order)), owned_array(std::move(found.parent)),
                        owned_array(std::move(found.level_end)));
}

Rows path_through(const std::array<Rows, 2>& parent, Row meeting) {
  Rows path;
  for (Row v = meeting; v != kNone; v = parent[0][at(v)]) path.push_back(v);
  std::reverse(path.begin(), path.end());
  for (Row v = parent[1][at(meeting)]; v != kNone; v = parent[1][at(v)]) path.push_back(v);
  return path;
}

/// A path of fewest hops from both ends, the smaller frontier first; empty: none.
Rows path_by_hops(const std::array<const Lists*, 2>& lists, Row source, Row goal, Ticker ticker) {
  if (source == goal) return {source};
  const std::size_t n = lists[0]->vertices();
  std::array<std::vector<bool>, 2> seen{std::vector<bool>(n), std::vector<bool>(n)};
  std::array<Rows, 2> parent{Rows(n, kNone), Rows(n, kNone)};
  std::array<Rows, 2> frontier{Rows{source}, Rows{goal}};
  seen[0][at(source)] = seen[1][at(goal)] = true;
  while (!frontier[0].empty() && !frontier[1].empty()) {
    const std::size_t side = frontier[0].size() <= frontier[1].size() ? 0 : 1;
    const Rows level = std::move(frontier[side]);
    frontier[side].clear();
    for (const Row v : level) {
      ticker.tick();
      for (const Row w : lists[side]->of(v)) {
        if (!seen[side][at(w)]) {
          seen[side][at(w)] = true;
          parent[side][at(w)] = v;
          frontier[side].push_back(w);
        }
        if (seen[1 - side][at(w)]) return path_through(parent, w);
      }
    }
  }
  return {};
}

nb::object path(const Offsets& out_offset, const Targets& out_target, const Offsets& in_offset,
                const Targets& in_target, Row source, Row goal) {
  const Lists out(out_offset, out_target), in(in_offset, in_target);
  check_rows(out, Rows{source, goal});
  check_rows(in, Rows{source, goal});
  Rows found;
  interruptibly([&](Ticker ticker) { found = path_by_hops({&out, &in}, source, goal, ticker); });
  return owned_array(std::move(found));
}

/// Of each source: how many vertices it reaches, itself among them; their distances added up, and
/// the reciprocals of those of others; the farthest.
struct Sums {
  std::vector<std::int64_t> reached, total, farthest;
  std::vector<double> reciprocal;
};

void sum_from(const Lists& lists, Row source, std::size_t i, std::vector<std::int32_t>& mark,
              Rows& queue, Sums& sums) {
  const auto stamp = static_cast<std::int32_t>(i) + 1;
  queue.assign(1, source);
  mark[at(source)] = stamp;
  std::int64_t depth = 0;
  for (std::size_t next = 0; next < queue.size(); ++depth) {
    const std::size_t end = queue.size();
    sums.total[i] += depth * static_cast<std::int64_t>(end - next);
    if (depth > 0)
      sums.reciprocal[i] += static_cast<double>(end - next) / static_cast<double>(depth);
    sums.farthest[i] = depth;
    for (; next < end; ++next)
      for (const Row w : lists.of(queue[next]))
        if (mark[at(w)] != stamp) {
          mark[at(w)] = stamp;
          queue.push_back(w);
        }
  }
  sums.reached[i] = static_cast<std::int64_t>(queue.size());
}

/// (reached, total, farthest, reciprocal), each [sources], by all threads.
nb::tuple hop_sums(const Offsets& offset, const Targets& target, const Rows& sources) {
  const Lists lists(offset, target);
  check_rows(lists, sources);
  const std::size_t n = sources.size();
  Sums sums{std::vector<std::int64_t>(n), std::vector<std::int64_t>(n),
            std::vector<std::int64_t>(n), std::vector<double>(n)};
  const int workers = worker_count(0);
  std::vector<std::vector<std::int32_t>> mark(static_cast<std::size_t>(workers));
  std::vector<Rows> queue(static_cast<std::size_t>(workers));
  Watched watched;
  call(watched, [&] {
    const Task task = watched.task();
    parallel_for(workers, n, 4, [&](std::size_t first, std::size_t last, int worker) {
      task.check();
      const auto w = static_cast<std::size_t>(worker);
      mark[w].resize(lists.vertices());
      for (std::size_t i = first; i < last; ++i)
        sum_from(lists, sources[i], i, mark[w], queue[w], sums);
    });
  });
  return nb::make_tuple(owned_array(std::move(sums.reached)), owned_array(std::move(sums.total)),
                        owned_array(std::move(sums.farthest)),
                        owned_array(std::move(sums.reciprocal)));
}

// By weights.

using Entry = std::tuple<double, std::uint64_t, Row>;  // distance, when it was found, vertex
using Heap = std::priority_queue<Entry, std::vector<Entry>, std::greater<>>;
constexpr double kFar = std::numeric_limits<double>::infinity();

struct Nearest {
  Rows order, parent;            // in the order of distances; by order
  std::vector<double> distance;  // by order
  Rows seen;                     // in the order in which they were first seen
  bool contradictory = false;    // a vertex was reached more cheaply after it was done
};

class Dijkstra {
 public:
  Dijkstra(const Lists& lists, double cutoff)
      : lists_(lists),
        cutoff_(cutoff),
        best_(lists.vertices(), kFar),
        parent_(lists.vertices(), kNone),
        seen_(lists.vertices()),
        done_(lists.vertices()) {}

  Nearest run(const Rows& sources, Row goal, Ticker ticker) {
    for (const Row s : sources) push(s, 0, kNone);
    while (!heap_.empty()) {
      const auto [length, when, v] = heap_.top();
      heap_.pop();
      if (done_[at(v)]) continue;
      done_[at(v)] = true;
      ticker.tick();
      found_.order.push_back(v);
      found_.distance.push_back(length);
      found_.parent.push_back(parent_[at(v)]);
      if (v == goal) break;
      relax(v, length);
      if (found_.contradictory) break;
    }
    return std::move(found_);
  }

 private:
  void push(Row v, double length, Row parent) {
    if (!seen_[at(v)]) found_.seen.push_back(v);
    seen_[at(v)] = true;
    best_[at(v)] = length;
    parent_[at(v)] = parent;
    heap_.emplace(length, next_++, v);
  }
  void relax(Row v, double length) {
    const std::span<const Row> targets = lists_.of(v);
    const double* const weights = lists_.weights_of(v);
    for (std::size_t i = 0; i < targets.size(); ++i) {
      const Row w = targets[i];
      const double candidate = length + weights[i];
      if (candidate > cutoff_) continue;
      if (done_[at(w)])
        found_.contradictory |= candidate < best_[at(w)];
      else if (!seen_[at(w)] || candidate < best_[at(w)])
        push(w, candidate, v);
    }
  }

  Lists lists_;
  double cutoff_;
  std::vector<double> best_;
  Rows parent_;
  std::vector<bool> seen_, done_;
  Heap heap_;
  std::uint64_t next_ = 0;
  Nearest found_;
};

/// (order, distance, parent, seen, contradictory).
nb::tuple nearest(const Offsets& offset, const Targets& target, const Weights& weight,
                  const Rows& sources, double cutoff, Row goal) {
  const Lists lists(offset, target, &weight);
  check_rows(lists, sources);
  Nearest found;
  interruptibly([&](Ticker ticker) { found = Dijkstra(lists, cutoff).run(sources, goal, ticker); });
  return nb::make_tuple(owned_array(std::move(found.order)), owned_array(std::move(found.distance)),
                        owned_array(std::move(found.parent)), owned_array(std::move(found.seen)),
                        found.contradictory);
}

struct WeightedPath {
  Rows rows;  // empty: none
  double length = 0;
  bool contradictory = false;
};

/// From both ends in turn (Pohl 1971, as NetworkX has it).
WeightedPath path_by_weights(const std::array<const Lists*, 2>& lists, Row source, Row goal,
                             Ticker ticker) {
  if (source == goal) return {{source}};
  const std::size_t n = lists[0]->vertices();
  std::array<std::vector<double>, 2> best{std::vector(n, kFar), std::vector(n, kFar)};
  std::array<std::vector<bool>, 2> seen{std::vector<bool>(n), std::vector<bool>(n)};
  std::array<std::vector<bool>, 2> done{std::vector<bool>(n), std::vector<bool>(n)};
  std::array<Rows, 2> parent{Rows(n, kNone), Rows(n, kNone)};
  std::array<Heap, 2> heap;
  std::uint64_t next = 0;
  WeightedPath found;
  Row meeting = kNone;
  for (const std::size_t side : {0U, 1U}) {
    const Row v = side == 0 ? source : goal;
    best[side][at(v)] = 0;
    seen[side][at(v)] = true;
    heap[side].emplace(0, next++, v);
  }
  std::size_t side = 1;
  while (!heap[0].empty() && !heap[1].empty()) {
    side = 1 - side;
    const auto [length, when, v] = heap[side].top();
    heap[side].pop();
    if (done[side][at(v)]) continue;
    done[side][at(v)] = true;
    if (done[1 - side][at(v)]) {
      found.rows = path_through(parent, meeting);
      return found;
    }
    ticker.tick();
    const std::span<const Row> targets = lists[side]->of(v);
    for (std::size_t i = 0; i < targets.size(); ++i) {
      const Row w = targets[i];
      const double candidate = length + lists[side]->weights_of(v)[i];
      if (done[side][at(w)]) {
        if (candidate < best[side][at(w)]) return {{}, 0, true};
      } else if (!seen[side][at(w)] || candidate < best[side][at(w)]) {
        seen[side][at(w)] = true;
        best[side][at(w)] = candidate;
        parent[side][at(w)] = v;
        heap[side].emplace(candidate, next++, w);
        const double whole = candidate + best[1 - side][at(w)];
        if (seen[1 - side][at(w)] && (meeting == kNone || found.length > whole)) {
          found.length = whole;
          meeting = w;
        }
      }
    }
  }
  return {};
}

/// (rows, length, contradictory).
nb::tuple nearest_path(const Offsets& out_offset, const Targets& out_target,
                       const Weights& out_weight, const Offsets& in_offset,
                       const Targets& in_target, const Weights& in_weight, Row source, Row goal) {
  const Lists out(out_offset, out_target, &out_weight), in(in_offset, in_target, &in_weight);
  check_rows(out, Rows{source, goal});
  check_rows(in, Rows{source, goal});
  WeightedPath found;
  interruptibly([&](Ticker ticker) { found = path_by_weights({&out, &in}, source, goal, ticker); });
  return nb::make_tuple(owned_array(std::move(found.rows)), found.length, found.contradictory);
}

}  // namespace

void add_searches(nb::module_& module) {
  module.def("search", search, nb::arg("offset"), nb::arg("target"), nb::arg("sources"),
             nb::arg("limit"));
  module.def("hop_sums", hop_sums, nb::arg("offset"), nb::arg("target"), nb::arg("sources"));
  module.def("path", path, nb::arg("out_offset"), nb::arg("out_target"), nb::arg("in_offset"),
             nb::arg("in_target"), nb::arg("source"), nb::arg("goal"));
  module.def("nearest", nearest, nb::arg("offset"), nb::arg("target"), nb::arg("weight"),
             nb::arg("sources"), nb::arg("cutoff"), nb::arg("goal"));
  module.def("nearest_path", nearest_path, nb::arg("out_offset"), nb::arg("out_target"),
             nb::arg("out_weight"), nb::arg("in_offset"), nb::arg("in_target"),
             nb::arg("in_weight"), nb::arg("source"), nb::arg("goal"));
}

}  // namespace fathom::python
