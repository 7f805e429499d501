// A plan as people and as programs read it.
#pragma once

#include <optional>
#include <string>

#include "cli/shared/report_json.hpp"
#include "fathom/plan/rank_plan.hpp"

namespace fathom::cli {

/// What is said beside the plan and its times.
struct PlanText {
  std::string missing;                  // why times are not there or not whole; empty: they are
  std::optional<plan::RankPlan> ranks;  // of several
};

std::string text_of(const plan::PlanRequest& request, const plan::Plan& planned,
                    const std::optional<plan::Prediction>& prediction, const PlanText& said);

/// docs/schema/plan.schema.json.
Json json_of(const plan::PlanRequest& request, const plan::Plan& planned,
             const std::optional<plan::Prediction>& prediction, const PlanText& said);

}  // namespace fathom::cli
