// A plan of an algorithm that works in batches is several: of those that fit, the largest is taken.
#pragma once

#include "fathom/plan/plan.hpp"

namespace fathom::plan {

/// As make_plan(), of the batch that the options say.
Plan plan_once(const PlanRequest& request);

}  // namespace fathom::plan
