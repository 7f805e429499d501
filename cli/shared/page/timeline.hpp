// What happened when, short enough for a page: per lane of a trace, how many spans were under way.
#pragma once

#include "cli/shared/report_json.hpp"
#include "fathom/core/trace.hpp"

namespace fathom::cli {

/// {seconds, lanes: [{name, spans, busy_seconds, bytes, active: [spans under way, on average]}]}:
/// `active` divides `seconds`, which begin as the graph is opened, into kTimelineBins equal parts.
/// Null without spans. Docs: docs/schema/page.schema.json.
Json timeline(const Trace& trace);

inline constexpr std::size_t kTimelineBins = 400;

}  // namespace fathom::cli
