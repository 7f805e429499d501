// Radii and the diameter, estimated with sketches of what each vertex reaches.
#pragma once

#include <cstdint>
#include <vector>

#include "fathom/core/array.hpp"
#include "fathom/exec/checkpoint/options.hpp"
#include "fathom/exec/context.hpp"
#include "fathom/exec/report.hpp"
#include "fathom/residency/graph.hpp"

namespace fathom {

inline constexpr std::uint32_t kUnlimitedHops = ~std::uint32_t{0};

struct RadiusOptions {
  std::uint32_t sketches = 32;  // per vertex; even, 2 to 256
  std::uint64_t seed = 1;
  double quantile = .9;  // what share of the reachable vertices "effective" means, in (0, 1]
  std::uint32_t max_hops = kUnlimitedHops;        // give up after so many
  const CheckpointOptions* checkpoint = nullptr;  // null: none is written or gone on from
};

struct RadiusResult {
  /// [vertices]: hops within which the quantile of what a vertex reaches is reached.
  Array<std::uint32_t> effective_radius;
  /// [vertices]: hops to the farthest vertex that left a trace in the sketches; never more than the
  /// eccentricity.
  Array<std::uint32_t> farthest;
  std::vector<double> pairs;      // [h]: estimated pairs of vertices within h hops, loops included
  double effective_diameter = 0;  // hops within which the quantile of all connected pairs is,
                                  // interpolated
  std::uint32_t diameter = 0;     // the largest of `farthest`: a lower bound
  bool converged = true;          // false: max_hops came first
  RunReport report;
};

/// How far vertices reach along out-edges, without a search from each.
///
/// A vertex's sketches are 32-bit masks, in which a vertex sets bit i with probability 2^-(i+1);
/// those of all vertices within h hops are united in h rounds. K sketches estimate a number of
/// vertices with a standard error of 0.78 / sqrt(K), 14 % with 32, numbers below ten with a bias
/// of up to 80 %.
///
/// @return  the same on every executor and residency for a seed.
/// @throws Error(Usage) for options out of range; Error(DoesNotFit); Error(Interrupted).
/// Cost: per hop a read of the in-edges of the vertices whose sketches grew (without the in-edges
/// of a directed graph: of all edges); per vertex and device 8 bytes per sketch, 12, and 4 for each
/// of about 0.15 * sketches + 1 past rounds (at a quantile of .9).
/// Source: Kang, Tsourakakis, Appel, Faloutsos and Leskovec, "HADI: Mining radii of large graphs",
/// ACM TKDD 5(2), 2011; Flajolet and Martin, J. Comput. Syst. Sci. 31(2), 1985.
FATHOM_API RadiusResult estimate_radius(const Context& ctx, const Graph& graph,
                                        const RadiusOptions& options = {});

/// Checks a result: `farthest` is explained by neighbours for all vertices; sketches made of what
/// breadth-first searches from eight random vertices find give exactly their values; and what is
/// said of all pairs follows from `pairs`, which does not fall.
/// @throws Error(VerificationFailed) naming the vertex and what is wrong.
/// Cost: eight searches and one read of each edge.
FATHOM_API void verify_radius(const Context& ctx, const Graph& graph, const RadiusOptions& options,
                              const RadiusResult& result);

}  // namespace fathom
