// What hubs and authorities do on a vertex, for any executor.
#pragma once

#include "fathom/algorithms/power/functors.hpp"

namespace fathom {

/// What was received, scaled.
struct HubStep {
  double scale = 1;
  FATHOM_HD double of(double, double received) const { return received * scale; }
};

}  // namespace fathom
