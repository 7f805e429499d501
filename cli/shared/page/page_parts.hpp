// What a run's page shows beside its report: the plan of the run, the distributions of degrees and
// values, the timeline. Added to a report only where a page is made of it.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "cli/shared/loaded_graph.hpp"
#include "cli/shared/report_json.hpp"
#include "fathom/algorithms/described/algorithm.hpp"

namespace fathom::cli {

/// An algorithm that describes itself, what it was given and what it answered; or nothing.
struct DescribedRun {
  const Algorithm* algorithm = nullptr;
  const OptionValues* values = nullptr;
  std::span<const AnswerColumn> columns = {};
  bool pairs = false;  // which values are of
};

struct PageSources {
  const LoadedGraph& graph;
  const ExecutionOptions& execution;
  DescribedRun described;
  std::uint64_t available_memory = 0;  // of the host, before the graph was opened
  std::string command_line = {};
};

/// Whether a report of this name is a page: it ends in .html.
bool is_page_path(const std::string& path);

/// Adds the keys of docs/schema/page.schema.json. A part that fails (there is no plan of this
/// algorithm, no memory for the sizes of sets) is {"note": why}, and leaves the others.
/// Cost: two passes over the values; the budgeted memory that value_spread() says.
void add_page_parts(Json& report, const PageSources& sources);

}  // namespace fathom::cli
