// The random walk that PageRank is about, resolved from graph and options: shared by the algorithm
// and its certificate.
#pragma once

#include "fathom/algorithms/pagerank.hpp"
#include "fathom/exec/vertex_array.hpp"

namespace fathom {

/// From here on up, shares of type float add at most 1/16 to the error that the tolerance allows.
inline constexpr double kFloatShareTolerance = 0x1p-20;

/// @throws Error(Usage) as pagerank() documents.
void check_arguments(const Graph& graph, const PagerankOptions& options);

/// The L1 change below which iteration stops.
double effective_tolerance(const Graph& graph, const PagerankOptions& options);

struct RankWalk {
  /// @throws Error(BadInput) for a negative or non-finite weight.
  RankWalk(const Context& ctx, const Graph& graph, const PagerankOptions& options);

  const double* jump_on(const Device& d) const { return jump.size() > 0 ? jump.on(d) : nullptr; }

  double alpha, tolerance;
  bool spread_dangling;
  double uniform_jump;                       // 1 / vertices
  VertexArray<double, MergeSum> out_weight;  // [vertices]; the degree when unweighted
  VertexArray<double> jump;                  // [vertices], sums to 1; or empty: uniform_jump
};

}  // namespace fathom
