// A plan of an algorithm that works in batches, or with more or less state, is several: of those
// that fit, the one that runs take.
#pragma once

#include "fathom/plan/plan.hpp"

namespace fathom::plan {

/// As make_plan(), of the batch that the options say and the state that the request does.
Plan plan_once(const PlanRequest& request);

}  // namespace fathom::plan
