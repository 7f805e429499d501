// The certificate of eccentricities.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "fathom/algorithms/certificate.hpp"
#include "fathom/algorithms/eccentricity/eccentricity.hpp"
#include "fathom/algorithms/refute.hpp"
#include "fathom/algorithms/serial_search.hpp"
#include "fathom/core/atomic.hpp"
#include "fathom/ops/advance.hpp"
#include "fathom/ops/compute.hpp"

namespace fathom {
namespace {

/// The way to the farthest vertex goes through a neighbour, which is one edge nearer.
struct ExplainByNeighbours {
  const std::uint32_t* eccentricity;
  std::uint64_t* explained;  // a bit would do
  bool undirected;
  Rule::Ref too_far;

  FATHOM_HD bool visit(VertexId u, VertexId v, Weight) const {
    if (eccentricity[v] + 1 >= eccentricity[u]) AtomicRef(explained[u]).fetch_or(1);
    if (undirected && eccentricity[v] > eccentricity[u] + 1) too_far.broken_by(v);
    return false;
  }
};

void check_all_edges(const Context& ctx, const Graph& graph, const EccentricityResult& result) {
  const VertexId n = graph.vertices();
  VertexArray<std::uint32_t> eccentricity(ctx, n);
  eccentricity.assign(result.eccentricity.span());
  VertexArray<std::uint64_t, MergeOr> explained(ctx, n, 0);
  Rule too_far(ctx), unexplained(ctx);
  Frontier all(ctx, n);
  all.fill();
  advance(ctx, graph.out(), all, nullptr, [&](const Device& d) {
    return ExplainByNeighbours{eccentricity.on(d), explained.on(d), !graph.directed(),
                               too_far.on(d)};
  });
  merge(explained);
  compute(ctx, n, [&](const Device& d) {
    return [eccentricity = eccentricity.on(d), explained = explained.on(d),
            unexplained = unexplained.on(d)](VertexId v) {
      if (eccentricity[v] != 0 && explained[v] == 0) unexplained.broken_by(v);
    };
  });
  too_far.check("eccentricity", "has more than one more than a neighbour");
  unexplained.check("eccentricity", "has more than one more than all its neighbours");
}

struct Extremes {
  std::uint32_t diameter = 0, radius = ~std::uint32_t{0};
  VertexId periphery = 0, center = 0;
};

Extremes extremes_of(const EccentricityResult& result, const std::vector<bool>& counts) {
  Extremes all;
  for (std::size_t v = 0; v < counts.size(); ++v) {
    if (!counts[v]) continue;
    all.diameter = std::max(all.diameter, result.eccentricity[v]);
    all.radius = std::min(all.radius, result.eccentricity[v]);
  }
  for (std::size_t v = 0; v < counts.size(); ++v) {
    all.periphery += counts[v] && result.eccentricity[v] == all.diameter ? 1 : 0;
    all.center += counts[v] && result.eccentricity[v] == all.radius ? 1 : 0;
  }
  return all;
}

/// Searches from single vertices, and what is known by them.
class Witnesses {
 public:
  Witnesses(const Context& ctx, const Graph& graph)
      : search_(ctx, graph.out()), reached_(graph.vertices(), false) {}

  /// The component of `from`, where edges are undirected.
  const std::vector<bool>& component(VertexId from) {
    reached_[from] = true;
    search_.run(from, [&](VertexId v, std::uint64_t) { reached_[v] = true; });
    return reached_;
  }
  std::uint64_t eccentricity(VertexId from) {
    std::uint64_t farthest = 0;
    search_.run(from, [&](VertexId, std::uint64_t depth) { farthest = depth; });
    return farthest;
  }
  void expect(VertexId v, std::uint64_t is) {
    const std::uint64_t expected = eccentricity(v);
    if (is != expected)
      refute_vertex(
          "eccentricity", v,
          "is " + std::to_string(expected) + " edges from the farthest, not " + std::to_string(is));
  }

 private:
  SerialSearch search_;
  std::vector<bool> reached_;
};

void check_shape(const Graph& graph, const EccentricityOptions& options,
                 const EccentricityResult& result) {
  const VertexId n = graph.vertices();
  if (result.eccentricity.size() != (options.diameter_only ? 0 : n))
    refute("eccentricity", "there is not one value per vertex");
  const bool none = n == 0;
  if (none != (result.far == kNoVertex) || none != (result.near == kNoVertex) ||
      (!none && (result.far >= n || result.near >= n)))
    refute("eccentricity", "no vertex is said to have the diameter, or the radius");
  if (!none && (result.center == 0 || result.periphery == 0 || result.radius > result.diameter ||
                (!graph.directed() && result.diameter > 2 * std::uint64_t{result.radius})))
    refute("eccentricity", "a diameter of " + std::to_string(result.diameter) +
                               " does not go with a radius of " + std::to_string(result.radius));
}

void check_counts(const EccentricityResult& result, const std::vector<bool>& counts) {
  const Extremes found = extremes_of(result, counts);
  if (found.diameter != result.diameter || found.radius != result.radius ||
      found.periphery != result.periphery || found.center != result.center)
    refute("eccentricity", "the values have diameter " + std::to_string(found.diameter) + " at " +
                               std::to_string(found.periphery) + " vertices and radius " +
                               std::to_string(found.radius) + " at " +
                               std::to_string(found.center) +
                               ", which is not what is said of them");
}

}  // namespace

void verify_eccentricities(const Context& ctx, const Graph& graph,
                           const EccentricityOptions& options, const EccentricityResult& result,
                           VertexId few) {
  const VertexId n = graph.vertices();
  check_shape(graph, options, result);
  if (n == 0) return;
  Witnesses witnesses(ctx, graph);
  witnesses.expect(result.far, result.diameter);
  witnesses.expect(result.near, result.radius);
  const std::vector<bool> counts =
      graph.directed() ? std::vector<bool>(n, true) : witnesses.component(result.far);
  if (!counts[result.near]) refute_vertex("eccentricity", result.near, "is of another component");
  if (!options.diameter_only) {
    check_counts(result, counts);
    check_all_edges(ctx, graph, result);
  }
  const std::size_t searched = std::min<std::size_t>(few, n);
  for (std::size_t i = 0; i < searched; ++i) {
    const auto v = static_cast<VertexId>(std::size_t{n} * i / searched);
    if (!options.diameter_only) {
      witnesses.expect(v, result.eccentricity[v]);
    } else if (const std::uint64_t its = witnesses.eccentricity(v);
               counts[v] && (its > result.diameter || its < result.radius)) {
      refute_vertex("eccentricity", v,
                    "is " + std::to_string(its) + " edges from the farthest, which is not " +
                        "between radius and diameter");
    }
  }
}

}  // namespace fathom
