// Where a run has its lists: what it asks for, or what it chooses as residencies do.
#pragma once

#include "fathom/plan/plan_sizes.hpp"

namespace fathom::plan {

/// Decides the residency of `plan`, and why; and in the request's shape how packed and narrow lists
/// are read there. `sizes` are those of both.
/// @throws Error(Usage) for a residency that the machine does not have.
void place_lists(PlanRequest& request, Plan& plan, const PlanSizes& sizes);

}  // namespace fathom::plan
