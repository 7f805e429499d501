// What the neighbours of a vertex, and their neighbours, have to do with each other, by all
// threads: each marks one vertex's list and walks the lists around it.
#include "around.hpp"

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "fathom/core/parallel.hpp"
#include "lists.hpp"

namespace fathom::python {
namespace {

constexpr std::size_t kGrain = 16;  // vertices, or pairs, whose cost differs much

/// Marks that are taken back by a new stamp.
class Marks {
 public:
  void begin(std::size_t vertices) {
    stamp_.resize(vertices);
    ++now_;
  }
  void mark(Row v) { stamp_[at(v)] = now_; }
  bool has(Row v) const { return stamp_[at(v)] == now_; }

 private:
  std::vector<std::uint32_t> stamp_;
  std::uint32_t now_ = 0;
};

/// body(i, state) for all i below n; each worker has a State of its own.
template <class State, class Body>
void for_each(std::size_t n, const Body& body) {
  const int workers = worker_count(0);
  std::vector<State> states(static_cast<std::size_t>(workers));
  Watched watched;
  call(watched, [&] {
    const Task task = watched.task();
    parallel_for(workers, n, kGrain, [&](std::size_t first, std::size_t last, int worker) {
      task.check();
      for (std::size_t i = first; i < last; ++i) body(i, states[static_cast<std::size_t>(worker)]);
    });
  });
}

/// (how many neighbours the ends of each pair have in common, how many of them are no ends
/// themselves, the values of these added up).
nb::tuple common(const Offsets& offset, const Targets& target, const Targets& from,
                 const Targets& to, const Weights& value) {
  const Lists lists(offset, target);
  check_rows(lists, rows_of(from));
  check_rows(lists, rows_of(to));
  if (from.size() != to.size() || value.size() != lists.vertices())
    throw Error(ErrorCode::Usage, "pairs and values do not go together");
  struct State {
    Marks marks;
    Row of = kNone;
  };
  std::vector<std::int64_t> all(from.size()), count(from.size());
  std::vector<double> sum(from.size());
  for_each<State>(from.size(), [&](std::size_t i, State& state) {
    const Row u = from.data()[i];
    if (state.of != u) {
      state.of = u;
      state.marks.begin(lists.vertices());
      for (const Row w : lists.of(u)) state.marks.mark(w);
    }
    const Row v = to.data()[i];
    for (const Row w : lists.of(v)) {
      if (!state.marks.has(w)) continue;
      ++all[i];
      if (w == u || w == v) continue;
      ++count[i];
      sum[i] += value.data()[at(w)];
    }
  });
  return nb::make_tuple(owned_array(std::move(all)), owned_array(std::move(count)),
                        owned_array(std::move(sum)));
}

/// The triangles of each edge of the lists of these rows, one list after the other; -1 of a loop.
nb::object triangles_of_edges(const Offsets& offset, const Targets& target, const Targets& rows) {
  const Lists lists(offset, target);
  check_rows(lists, rows_of(rows));
  std::vector<std::size_t> first(rows.size() + 1);
  for (std::size_t i = 0; i < rows.size(); ++i)
    first[i + 1] = first[i] + lists.of(rows.data()[i]).size();
  std::vector<std::int64_t> count(first.back());
  for_each<Marks>(rows.size(), [&](std::size_t i, Marks& marks) {
    const Row v = rows.data()[i];
    marks.begin(lists.vertices());
    for (const Row w : lists.of(v)) marks.mark(w);
    std::size_t edge = first[i];
    for (const Row w : lists.of(v)) {
      if (w == v) {
        count[edge++] = -1;
        continue;
      }
      std::int64_t its = 0;
      for (const Row x : lists.of(w)) its += x != w && x != v && marks.has(x);
      count[edge++] = its;
    }
  });
  return owned_array(std::move(count));
}

struct Ways {
  std::vector<std::int64_t> of;  // two hops to each vertex
  Rows reached;
};

/// (squares through each of the rows, those that there could be), loops left out (Zhang et al.,
/// Physica A 387, 2008).
nb::tuple squares(const Offsets& offset, const Targets& target, const Targets& rows) {
  const Lists lists(offset, target);
  check_rows(lists, rows_of(rows));
  const std::size_t n = lists.vertices();
  std::vector<std::int64_t> degree(n), found(rows.size()), possible(rows.size());
  for (Row v = 0; at(v) < n; ++v)
    for (const Row w : lists.of(v)) degree[at(v)] += w != v;
  for_each<Ways>(rows.size(), [&](std::size_t i, Ways& ways) {
    const Row v = rows.data()[i];
    if (degree[at(v)] < 2) return;
    ways.of.resize(n);
    std::int64_t degrees = 0, triangles = 0;
    for (const Row u : lists.of(v)) {
      if (u == v) continue;
      degrees += degree[at(u)];
      for (const Row x : lists.of(u)) {
        if (x == u || x == v) continue;
        if (ways.of[at(x)]++ == 0) ways.reached.push_back(x);
      }
    }
    for (const Row u : lists.of(v))
      if (u != v) triangles += ways.of[at(u)];
    for (const Row x : ways.reached) {
      const std::int64_t its = std::exchange(ways.of[at(x)], 0);
      found[i] += its * (its - 1) / 2;
    }
    ways.reached.clear();
    possible[i] = (degrees - degree[at(v)]) * (degree[at(v)] - 1) - triangles - found[i];
  });
  return nb::make_tuple(owned_array(std::move(found)), owned_array(std::move(possible)));
}

struct Sums {
  std::vector<double> to;
};

/// [m]: of the product of two matrices of these lists' entries what is at these entries.
nb::object product_at_edges(const Offsets& offset, const Targets& target, const Weights& left,
                            const Weights& right) {
  const Lists first(offset, target, &left), second(offset, target, &right);
  std::vector<double> product(first.target.size());
  for_each<Sums>(first.vertices(), [&](std::size_t i, Sums& sums) {
    const Row v = static_cast<Row>(i);
    const std::span<const Row> neighbours = first.of(v);
    sums.to.resize(first.vertices());
    for (const Row w : neighbours) sums.to[at(w)] = 0;
    for (std::size_t e = 0; e < neighbours.size(); ++e) {
      const std::span<const Row> onward = second.of(neighbours[e]);
      const double* const weights = second.weights_of(neighbours[e]);
      const double its = first.weights_of(v)[e];
      for (std::size_t f = 0; f < onward.size(); ++f) sums.to[at(onward[f])] += its * weights[f];
    }
    auto edge = static_cast<std::size_t>(first.offset[i]);
    for (const Row w : neighbours) product[edge++] = sums.to[at(w)];
  });
  return owned_array(std::move(product));
}

struct Inside {
  Marks among, seen;
  Rows queue;
};

/// The reciprocals of the distances from `source` to others, along marked vertices alone.
double reciprocals_from(const Lists& lists, Row source, Inside& inside) {
  double sum = 0;
  inside.seen.begin(lists.vertices());
  inside.seen.mark(source);
  inside.queue.assign(1, source);
  double depth = 0;
  for (std::size_t next = 0; next < inside.queue.size(); ++depth) {
    const std::size_t end = inside.queue.size();
    if (depth > 0) sum += static_cast<double>(end - next) / depth;
    for (; next < end; ++next)
      for (const Row w : lists.of(inside.queue[next])) {
        if (!inside.among.has(w) || inside.seen.has(w)) continue;
        inside.seen.mark(w);
        inside.queue.push_back(w);
      }
  }
  return sum;
}

/// [n]: how near the neighbours of each vertex are to each other without it, on average.
nb::object local_efficiencies(const Offsets& offset, const Targets& target) {
  const Lists lists(offset, target);
  std::vector<double> efficiency(lists.vertices());
  for_each<Inside>(lists.vertices(), [&](std::size_t i, Inside& inside) {
    const std::span<const Row> neighbours = lists.of(static_cast<Row>(i));
    if (neighbours.size() < 2) return;
    inside.among.begin(lists.vertices());
    for (const Row w : neighbours) inside.among.mark(w);
    for (const Row w : neighbours) efficiency[i] += reciprocals_from(lists, w, inside);
    const auto k = static_cast<double>(neighbours.size());
    efficiency[i] /= k * (k - 1);
  });
  return owned_array(std::move(efficiency));
}

}  // namespace

void add_around(nb::module_& module) {
  const auto offset = nb::arg("offset"), target = nb::arg("target");
  module.def("common", common, offset, target, nb::arg("from_"), nb::arg("to"), nb::arg("value"));
  module.def("triangles_of_edges", triangles_of_edges, offset, target, nb::arg("rows"));
  module.def("squares", squares, offset, target, nb::arg("rows"));
  module.def("product_at_edges", product_at_edges, offset, target, nb::arg("left"),
             nb::arg("right"));
  module.def("local_efficiencies", local_efficiencies, offset, target);
}

}  // namespace fathom::python
