// What an attempt to commit a batch on a GPU has found, from what its kernels say.
#pragma once

#include "fathom/dynamic/batches/batch_state.hpp"
#include "fathom/dynamic/batches/blocks/batch_side.hpp"

namespace fathom::dynamic::gpu {

/// Updates that are wrong are named before anything else; lists that are too long once it is sure
/// that the plan is the one to go by.
inline BatchFinding finding_of(const Totals& found) {
  if (found.go != 0) return BatchFinding::Fits;
  if (found.check.bad != 0) return BatchFinding::Refused;
  if (found.unsuited != 0) return BatchFinding::Unsuited;
  if (found.side[0].too_long != 0 || found.side[1].too_long != 0) return BatchFinding::Refused;
  return BatchFinding::Lacks;
}

}  // namespace fathom::dynamic::gpu
