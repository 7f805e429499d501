// Power iterations in double precision, edge by edge.
#pragma once

#include "tests/reference/graph.hpp"

namespace reference {

struct PowerOptions {
  double tolerance = 1e-6;  // stop where a step would go less than this times the vertices (L1)
  int max_iterations = 100;
  bool weighted = false;
};

struct PowerResult {
  std::vector<double> value;
  bool converged = false;
  int iterations = 0;
};

/// The eigenvector of the transposed adjacency matrix and the identity together, of norm 1, from
/// equal values.
PowerResult eigenvector(const Graph& g, const PowerOptions& options);

/// x = alpha A^T x + beta, of norm 1, from x = beta.
PowerResult katz(const Graph& g, double alpha, double beta, const PowerOptions& options);

struct HitsResult {
  std::vector<double> hub, authority;  // each sums to 1; 0 without edges
  bool converged = false;
};

/// Hubs and authorities, from equal hubs, until a step takes hubs less far than the tolerance.
HitsResult hits(const Graph& g, const PowerOptions& options);

}  // namespace reference
