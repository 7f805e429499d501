#pragma once
#include "fathom/algorithms/state_sizes.hpp"
namespace fathom {
FATHOM_API StateSize betweenness_state(bool weights, int batch, double id_bytes, bool keeps);
FATHOM_API StateSize edge_betweenness_state(bool weights, int batch = 1, double entries = 0,
                                            double rows = 0, double id_bytes = kIdBytes);
}  // namespace fathom
