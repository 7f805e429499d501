#include "cli/commands/stream/report.hpp"

#include <fmt/format.h>

#include "fathom/core/units.hpp"

namespace fathom::cli {

Json stream_json(Json run, const StreamTotals& totals, const DynamicGraph& graph, Json analyses) {
  const DynamicMemory memory = graph.memory();
  const BatchReport& r = totals.report;
  Json json{{"schema", "fathom.stream/1"},
            {"graph",
             {{"vertices", graph.existing_vertices()},
              {"edges", graph.edges()},
              {"directed", graph.directed()},
              {"weighted", graph.weighted()},
              {"semantic", graph.semantic()}}}};
  json.update(run);
  json["apply_seconds"] = r.seconds;
  json["updates_per_second"] = totals.rate();
  json["batches"] = totals.batches;
  json["updates"] = totals.updates;
  json["edges"] = {{"inserted", r.inserted}, {"overwritten", r.overwritten},
                   {"ignored", r.ignored},   {"removed", r.removed},
                   {"missing", r.missing},   {"superseded", r.superseded}};
  json["vertices"] = {{"inserted", totals.new_vertices}, {"removed", totals.gone_vertices}};
  json["expired"] = totals.expired;
  json["without_effect"] = totals.without_effect;
  json["memory"] = {{"page_bytes", memory.page_bytes},
                    {"reserved_bytes", memory.reserved_bytes},
                    {"host_bytes", memory.host_bytes},
                    {"record_bytes", memory.record_bytes},
                    {"peak_bytes", totals.peak_bytes}};
  json["analyses"] = std::move(analyses);
  return json;
}

std::string stream_summary(const StreamTotals& totals, const DynamicGraph& graph) {
  const DynamicMemory memory = graph.memory();
  const BatchReport& r = totals.report;
  return fmt::format(
      "stream: {} updates in {} batches, applied in {} ({} updates/s)\n"
      "  edges: {} inserted, {} overwritten, {} ignored, {} removed, {} missing, {} superseded\n"
      "{}"
      "  vertices: {} inserted, {} removed; {} updates without effect\n"
      "  graph: {} vertices, {} edges; {} of pages and {} of records, {} at most{}\n",
      format_count(totals.updates), format_count(totals.batches), format_seconds(r.seconds),
      format_count(static_cast<std::uint64_t>(totals.rate())), format_count(r.inserted),
      format_count(r.overwritten), format_count(r.ignored), format_count(r.removed),
      format_count(r.missing), format_count(r.superseded),
      totals.expired == 0 ? "" : fmt::format("  expired: {} edges\n", format_count(totals.expired)),
      format_count(totals.new_vertices), format_count(totals.gone_vertices),
      format_count(totals.without_effect), format_count(graph.existing_vertices()),
      format_count(graph.edges()), format_bytes(memory.page_bytes),
      format_bytes(memory.record_bytes), format_bytes(totals.peak_bytes),
      memory.host_bytes == 0
          ? ""
          : fmt::format("; {} of pages in host memory", format_bytes(memory.host_bytes)));
}

}  // namespace fathom::cli
