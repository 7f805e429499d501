// What Katz centrality does on a vertex, for any executor.
#pragma once

#include "fathom/algorithms/power/functors.hpp"

namespace fathom {

struct KatzStep {
  double alpha, beta;
  FATHOM_HD double of(double, double received) const { return alpha * received + beta; }
};

}  // namespace fathom
