#include "fathom/algorithms/bellman_ford/cycles.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace fathom::detail {
namespace {

/// A sum without rounding: parts whose bits do not overlap, smaller ones first, so that the last
/// has the sign of all. (Shewchuk, "Adaptive precision floating-point arithmetic", 1997.)
class ExactSum {
 public:
  void add(double x) {
    std::size_t kept = 0;
    for (double part : parts_) {
      if (std::abs(x) < std::abs(part)) std::swap(x, part);
      const double sum = x + part, lost = part - (sum - x);
      if (lost != 0) parts_[kept++] = lost;
      x = sum;
    }
    parts_.resize(kept);
    if (x != 0) parts_.push_back(x);
  }
  double value() const {
    double sum = 0;
    for (const double part : parts_) sum += part;
    return sum;
  }

 private:
  std::vector<double> parts_;
};

/// The lightest of the edges from u to v.
std::optional<Weight> lightest(ListReader& lists, VertexId u, VertexId v) {
  std::optional<Weight> least;
  lists.read(u, [&](const PlainSpan& span) {
    for (std::uint32_t i = 0; i < span.size; ++i)
      if (span.target(i) == v && (!least || span.weight(i) < *least)) least = span.weight(i);
  });
  return least;
}

}  // namespace

std::vector<std::vector<VertexId>> cycles_among(Array<VertexId> parent) {
  std::vector<std::vector<VertexId>> cycles;
  std::vector<VertexId> walk;
  for (std::size_t first = 0; first < parent.size(); ++first) {
    walk.clear();
    auto v = static_cast<VertexId>(first);
    // Whoever has been passed has no parent any more.
    while (parent[v] != kNoVertex) {
      walk.push_back(v);
      v = std::exchange(parent[v], kNoVertex);
    }
    const auto again = std::find(walk.rbegin(), walk.rend(), v);
    if (again == walk.rend()) continue;
    std::vector<VertexId> cycle(walk.rbegin(), again + 1);
    std::rotate(cycle.begin(), std::min_element(cycle.begin(), cycle.end()), cycle.end());
    cycles.push_back(std::move(cycle));
  }
  return cycles;
}

std::optional<double> cycle_weight(const Graph& graph, std::span<const VertexId> cycle) {
  const auto lists = graph.out().read_lists();
  ExactSum sum;
  for (std::size_t i = 0; i < cycle.size(); ++i) {
    const VertexId next = cycle[i + 1 < cycle.size() ? i + 1 : 0];
    const std::optional<Weight> weight = lightest(*lists, cycle[i], next);
    if (!weight) return std::nullopt;
    sum.add(static_cast<double>(*weight));
  }
  return sum.value();
}

}  // namespace fathom::detail
