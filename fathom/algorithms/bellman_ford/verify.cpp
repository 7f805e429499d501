// The certificate of shortest paths with negative weights: as that of sssp, and of each vertex
// without a distance that it is behind a negative cycle.
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "fathom/algorithms/bellman_ford/bellman_ford.hpp"
#include "fathom/algorithms/bellman_ford/cycles.hpp"
#include "fathom/algorithms/certificate.hpp"
#include "fathom/algorithms/check_sources.hpp"
#include "fathom/algorithms/refute.hpp"
#include "fathom/algorithms/sssp/check_triangle.hpp"
#include "fathom/algorithms/sssp/parts.hpp"
#include "fathom/ops/advance.hpp"
#include "fathom/ops/compute.hpp"

namespace fathom {
namespace {

constexpr const char* kName = "bellman-ford";
// What a vertex hangs on.
constexpr std::uint32_t kSource = 1, kCycle = 2;

/// Passes a mark along edges that explain a distance, and to whatever has none.
template <class Length>
struct PassBelow {
  static constexpr bool kReadsWeights = true;
  const Length* distance;
  std::uint32_t* marked;  // [vertices]
  std::uint32_t mark;

  FATHOM_HD bool visit(VertexId u, VertexId v, Length w) const {
    const Length to = distance[v];
    if (to == kInfinity || (to != -kInfinity && distance[u] + w != to)) return false;
    const AtomicRef mine(marked[v]);
    return (mine.load() & mark) == 0 && (mine.fetch_or(mark) & mark) == 0;
  }
};

template <class Length>
void check_numbers(const Graph& graph, VertexId source, const BellmanFordResult& result) {
  const Array<Length>& distance = distances_of<Length>(result);
  if (distance.size() != graph.vertices()) refute(kName, "there is not one distance per vertex");
  if (distance[source] != 0 && distance[source] != -kInfinity)
    refute_vertex(kName, source, "is the source, but its distance is not 0");
  VertexId reached = 0, without = 0;
  for (std::size_t v = 0; v < distance.size(); ++v) {
    if (std::isnan(distance[v])) refute_vertex(kName, v, "has a distance that is no number");
    if (distance[v] < kInfinity) ++reached;
    if (distance[v] == -kInfinity) ++without;
  }
  if (reached != result.reached)
    refute(kName, std::to_string(reached) + " distances are not infinite, but " +
                      std::to_string(result.reached) + " vertices are said to be reached");
  if (without != result.without)
    refute(kName, std::to_string(without) + " vertices have no distance, not " +
                      std::to_string(result.without));
  if ((without == 0) != result.cycles.empty())
    refute(kName, without == 0 ? "a cycle is named, but no vertex is without a distance"
                               : "vertices have no distance, but no cycle is named");
}

/// Their vertices are of the graph, without a distance and named once; their edges exist and have a
/// negative sum. @returns all vertices.
template <class Length>
std::vector<VertexId> check_negative(const Context& ctx, const Graph& graph,
                                     const BellmanFordResult& result) {
  const Array<Length>& distance = distances_of<Length>(result);
  std::vector<VertexId> all;
  Array<std::uint8_t> named(graph.vertices(), 0, ctx.host_memory());
  for (const std::vector<VertexId>& cycle : result.cycles) {
    for (const VertexId v : cycle) {
      if (v >= graph.vertices()) refute_vertex(kName, v, "is on a cycle, but not in the graph");
      if (named[v] != 0) refute_vertex(kName, v, "is named twice on cycles");
      if (distance[v] != -kInfinity)
        refute_vertex(kName, v, "is on a negative cycle and has a distance");
      named[v] = 1;
      all.push_back(v);
    }
    if (cycle.empty()) refute(kName, "a cycle has no vertices");
    const std::optional<double> weight = detail::cycle_weight(graph, cycle);
    if (!weight) refute_vertex(kName, cycle[0], "is on a cycle that lacks an edge");
    if (!(*weight < 0)) refute_vertex(kName, cycle[0], "is on a cycle that is not negative");
    if (&cycle == &result.cycles[0] && *weight != result.cycle_weight)
      refute(kName, "the first cycle weighs " + std::to_string(*weight) + ", not " +
                        std::to_string(result.cycle_weight));
  }
  return all;
}

template <class Length>
class Certificate {
 public:
  Certificate(const Context& ctx, const Graph& graph, const Array<Length>& distance)
      : ctx_(ctx),
        graph_(graph),
        distance_(ctx, graph.vertices()),
        marked_(ctx, graph.vertices(), 0) {
    distance_.assign(distance);
  }

  void check_edges() {
    Rule shortened(ctx_);
    Frontier all(ctx_, graph_.vertices());
    all.fill();
    advance(ctx_, graph_.out(), all, nullptr, [&](const Device& d) {
      return CheckTriangle<Length>{distance_.on(d), shortened.on(d)};
    });
    shortened.check(kName, "has a neighbour that offers a shorter path");
  }

  /// From the source, or from vertices of cycles, to whatever hangs on them.
  void mark_from(const std::vector<VertexId>& first, std::uint32_t mark) {
    Frontier now(ctx_, graph_.vertices()), next(ctx_, graph_.vertices());
    now.assign(first);
    for (const VertexId v : first) marked_.set(v, marked_.get(v) | mark);
    for (; !now.empty(); std::swap(now, next)) {
      ctx_.task().check();
      advance(ctx_, graph_.out(), now, &next, [&](const Device& d) {
        return PassBelow<Length>{distance_.on(d), marked_.on(d), mark};
      });
      marked_.merge();
    }
  }

  void check_marks() {
    Rule adrift(ctx_), unreached(ctx_), calm(ctx_);
    compute(ctx_, graph_.vertices(), [&](const Device& d) {
      return [at = distance_.on(d), mark = marked_.on(d), adrift = adrift.on(d),
              unreached = unreached.on(d), calm = calm.on(d)](VertexId v) {
        if (at[v] == kInfinity) return;
        const bool has = at[v] != -kInfinity;
        if ((mark[v] & kSource) == 0) (has ? adrift : unreached).broken_by(v);
        if (!has && (mark[v] & kCycle) == 0) calm.broken_by(v);
      };
    });
    adrift.check(kName, "has a distance that no path from the source has");
    unreached.check(kName, "has no distance, but is not reached from the source");
    calm.check(kName, "has no distance, but is behind no cycle that is named");
  }

 private:
  const Context& ctx_;
  const Graph& graph_;
  VertexArray<Length> distance_;
  VertexArray<std::uint32_t, MergeOr> marked_;
};

template <class Length>
void verify_rounds(const Context& ctx, const Graph& graph, VertexId source,
                   const BellmanFordResult& result) {
  check_numbers<Length>(graph, source, result);
  const std::vector<VertexId> on_cycles = check_negative<Length>(ctx, graph, result);
  Certificate<Length> certificate(ctx, graph, distances_of<Length>(result));
  certificate.check_edges();
  certificate.mark_from({source}, kSource);
  certificate.mark_from(on_cycles, kCycle);
  certificate.check_marks();
}

}  // namespace

void verify_bellman_ford(const Context& ctx, const Graph& graph, VertexId source,
                         const BellmanFordResult& result) {
  check_sources(graph, {&source, 1});
  if (!result.double_distance.empty())
    verify_rounds<double>(ctx, graph, source, result);
  else
    verify_rounds<Weight>(ctx, graph, source, result);
}

}  // namespace fathom
