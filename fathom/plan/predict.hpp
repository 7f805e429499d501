// How long a planned run would take: the cost model filled in with what was measured here.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fathom/exec/link_profile.hpp"
#include "fathom/exec/report.hpp"
#include "fathom/plan/cost_model.hpp"
#include "fathom/plan/plan.hpp"
#include "fathom/plan/rates.hpp"

namespace fathom::plan {

/// What one breadth-first search found out: per level, the share of all edges that were looked at
/// and of all list bytes that were fetched.
struct Pilot {
  struct Level {
    double edges = 0, bytes = 0;
  };
  std::vector<Level> levels;
};

/// @param moved_bytes  of the lists that the search could have fetched (Plan::moved_bytes).
FATHOM_API Pilot pilot_of(const RunReport& search, std::uint64_t edges, std::uint64_t moved_bytes);

struct Prediction {
  Range seconds;
  Range supersteps;    // of Sweeps, or of a traversal with a pilot; else {0, 0}: not known
  Range step;          // seconds of a superstep of Sweeps
  Range kernels;       // seconds of all kernels
  Range fetched;       // bytes from the disk or over the link, in all
  double ceiling = 0;  // bytes per second of what they are fetched over; 0: nothing is fetched
};

/// Nothing for algorithms without a model (WorkKind::Other) or without measured rates, and for
/// emulated devices, which take turns. Traversals start in the largest component. Several GPUs
/// share the pages, and merge their vertex state after each superstep.
/// @param rates  without any work: kernels of a GPU count as nothing.
/// @param link   of the GPU; null: none.
/// @param pilot  narrows traversals; null: none.
FATHOM_API std::optional<Prediction> predict(const PlanRequest& request, const Plan& plan,
                                             const MachineRates& rates, const LinkProfile* link,
                                             const Pilot* pilot);

}  // namespace fathom::plan
