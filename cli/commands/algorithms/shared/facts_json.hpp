// The numbers of an answer as JSON: the object under "result".
#pragma once

#include "cli/shared/report_json.hpp"
#include "fathom/algorithms/described/answer.hpp"

namespace fathom::cli {

Json json_of(const Facts& facts);

}  // namespace fathom::cli
