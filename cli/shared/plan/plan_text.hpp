// A plan as people and as programs read it.
#pragma once

#include <optional>
#include <string>

#include "cli/shared/report_json.hpp"
#include "fathom/plan/predict.hpp"

namespace fathom::cli {

/// @param missing  why times are not there or not whole; empty: they are.
std::string text_of(const plan::PlanRequest& request, const plan::Plan& planned,
                    const std::optional<plan::Prediction>& prediction, const std::string& missing);

/// docs/schema/plan.schema.json.
Json json_of(const plan::PlanRequest& request, const plan::Plan& planned,
             const std::optional<plan::Prediction>& prediction, const std::string& missing);

}  // namespace fathom::cli
