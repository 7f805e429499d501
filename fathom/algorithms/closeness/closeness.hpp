// Closeness centrality: how short the ways to a vertex are, on average.
#pragma once

#include <cstdint>
#include <vector>

#include "fathom/core/array.hpp"
#include "fathom/exec/context.hpp"
#include "fathom/exec/report.hpp"
#include "fathom/residency/graph.hpp"

namespace fathom {

struct ClosenessOptions {
  VertexId samples = 0;    // so many distinct random sources; 0: all vertices
  std::uint64_t seed = 0;  // of the sample
};

struct ClosenessResult {
  Array<double> centrality;           // [vertices], 0 to 1; 0 where no search arrived
  Array<VertexId> reached;            // [vertices]: other sources that reach it
  Array<std::uint64_t> distance_sum;  // [vertices]: the hops from all of these
  std::vector<VertexId> sources;      // that were used, ascending
  RunReport report;
};

/// Closeness by incoming distances, by the formula of Wasserman and Faust: with r(x) the number of
/// other vertices y that reach x and s(x) the sum of their distances d(y, x), counted in edges, the
/// value of x is (r(x) / s(x)) * (r(x) / (n - 1)), 0 where r(x) is. NetworkX has the same. In a
/// connected graph it is (n - 1) / s(x); small components of others rank low.
///
/// With k of n vertices as sources: r and s count these alone, and k (k - 1 for a sample, which is
/// not its own) takes the place of n - 1. That is the value of the estimates of r and s that are
/// scaled by (n - 1) / k, each unbiased. For a connected graph of diameter D, O(log n / e^2)
/// sources estimate mean distances within e * D with high probability.
///
/// @return  the same bit for bit on every residency, executor and number of devices: r and s are
///          integers (of 64 bits: exact as long as n * longest distance < 2^64), and the value is
///          computed from them once.
/// @throws Error(Usage) for more samples than vertices, or for one sample of several vertices,
///         which tells nothing of itself; Error(DoesNotFit); Error(Interrupted).
/// Cost: for each 64 sources, what a MultiSearch costs; 36 bytes per vertex and device, and 8 on
/// the host.
/// Source: Wasserman and Faust, "Social network analysis", 1994, section 5.2.2; sampled: Eppstein
/// and Wang, "Fast approximation of centrality", J. Graph Algorithms Appl. 8(1), 2004.
FATHOM_API ClosenessResult closeness(const Context& ctx, const Graph& graph,
                                     const ClosenessOptions& options = {});

/// Checks a result with serial searches that share no code with closeness(). Every value follows
/// from its integers. Along every edge from u to v the sources that reach u reach v, and where
/// these are all, each is at most one hop farther. With at most `few` sources all integers are
/// counted again. With more, they are at least those of `few` sources; and where lists can be
/// walked backwards, `few` vertices and the largest value are searched from against the edges: a
/// wrong sum elsewhere that passes is off by at most twice the sources times the hops to one of
/// them, where edges are undirected; where they have directions there is no such bound.
/// @throws Error(VerificationFailed) naming a vertex; Error(Usage) when the edges cannot be read by
///         the host.
/// Cost: one read of each edge, and 2 * few + 1 searches by one thread.
FATHOM_API void verify_closeness(const Context& ctx, const Graph& graph,
                                 const ClosenessOptions& options, const ClosenessResult& result,
                                 VertexId few = 8);

namespace detail {
/// The value of a vertex with `others` sources beside itself.
double closeness_of(VertexId reached, std::uint64_t distance_sum, std::size_t others);
}  // namespace detail

}  // namespace fathom
