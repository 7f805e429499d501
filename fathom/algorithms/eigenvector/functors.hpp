// What eigenvector centrality does on a vertex, for any executor.
#pragma once

#include "fathom/algorithms/power/functors.hpp"

namespace fathom {

/// A step with the matrix A + I, whose eigenvectors are those of A: where A alone would go back and
/// forth between the sides of a bipartite graph this one arrives.
struct EigenStep {
  double scale = 1;  // one over the norm of what comes of it
  FATHOM_HD double of(double value, double received) const { return (value + received) * scale; }
};

}  // namespace fathom
