// A report as one page for a browser: the object, a template around it that draws it, and nothing
// that is fetched from elsewhere (docs/reference/json.md).
#pragma once

#include <string>

#include "cli/shared/report_json.hpp"

namespace fathom::cli {

/// The page of a report, with or without the keys of docs/schema/page.schema.json. It is UTF-8, and
/// the report in it ASCII: no text of it can end the element it is in. Of more than kMostSupersteps
/// supersteps, as many neighbours are joined to one as it takes, and "supersteps_joined" says how
/// many: numbers added, directions that differ "mixed".
std::string html_report(const Json& report);

inline constexpr std::size_t kMostSupersteps = 10'000;

}  // namespace fathom::cli
