// The JSON object of --json and --report (docs/schema/report.schema.json). Every key is always
// there; null says that it does not apply to this run.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/shared/loaded_graph.hpp"
#include "fathom/exec/report.hpp"
#include "fathom/store/degree_summary.hpp"
#include "fathom/store/store.hpp"

namespace fathom::cli {

using Json = nlohmann::ordered_json;

/// Wall-clock times of one command, in seconds.
struct Timing {
  double load = 0;
  std::vector<double> trials;
  std::optional<double> verification;  // absent: not asked for

  double median() const;
};

/// What the graph is: the object under "graph" everywhere.
Json graph_json(const store::Header& header, const std::string& path);
/// Which of its edges count; null: all.
Json filter_json(const LoadedGraph& graph);

/// {mean, maximum, percentiles, histogram: [{least, vertices}, ...]}
Json json_of(const store::DegreeSummary& degrees);

/// The table of supersteps.
Json supersteps_json(const RunReport& run);

/// 64 bits as 16 hexadecimal digits: JSON numbers are doubles to many readers.
std::string hex(std::uint64_t word);

/// `run` is the report of the last trial. `verified`: absent when not asked for. `reads_weights`:
/// the algorithm looked at the weights of the edges it walked.
Json report_json(const std::string& algorithm, const LoadedGraph& graph, const RunReport& run,
                 const Timing& timing, Json result, std::optional<bool> verified,
                 bool reads_weights);

/// The same of a graph that is no store's: `graph_json` is the object under "graph".
Json report_json(const std::string& algorithm, Json graph_json, const Context& context,
                 const Graph& graph, const RunReport& run, const Timing& timing, Json result,
                 std::optional<bool> verified, bool reads_weights);

/// Pretty-printed, with a final newline. Labels that are not UTF-8 show U+FFFD for what is not.
std::string to_text(const Json& json);

/// Writes the object to a file, whole or not at all. @throws Error(Io).
void write_json(const std::string& path, const Json& json);
void write_text(const std::string& path, const std::string& text);

}  // namespace fathom::cli
