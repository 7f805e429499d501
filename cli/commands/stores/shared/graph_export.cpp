#include "cli/commands/stores/shared/graph_export.hpp"

#include <fmt/format.h>

#include <chrono>

#include "cli/shared/console.hpp"
#include "cli/shared/result_output.hpp"
#include "fathom/core/units.hpp"

namespace fathom::cli {
namespace {

std::string note(std::string_view name, const std::string& value) {
  return fmt::format("  {:<18}{}\n", name, value);
}

bool is_edge_list(store::GraphFormat format) {
  return format == store::GraphFormat::Tsv || format == store::GraphFormat::Csv;
}

/// What the format has no place for.
std::string losses(const store::ExportReport& report) {
  std::string text;
  if (report.isolated.value_or(0) > 0)
    text +=
        note("left out", fmt::format("{} vertices without edges", format_count(*report.isolated)));
  if (report.weights_left_out) text += note("left out", "weights, which .wsg has");
  if (report.header.semantic) text += note("left out", "types and timestamps of edges");
  if (report.header.vertex_fields) text += note("left out", "weights and types of vertices");
  return text;
}

std::string export_summary(const GraphExport& c, const store::ExportReport& report,
                           double seconds) {
  const store::Header& h = report.header;
  const bool weighted = h.weighted && !report.weights_left_out;
  std::string text =
      fmt::format("{}: {} vertices, {} edges, {}, {}, in {}\n", printable(output_name(c.output)),
                  format_count(h.vertices - report.isolated.value_or(0)),
                  format_count(report.written), h.directed ? "directed" : "undirected",
                  weighted ? "weighted" : "unweighted", format_seconds(seconds));
  text += losses(report);
  if (!h.directed && is_edge_list(c.file.format))
    text += note("each edge once", "`fathom convert --undirected` reads it back");
  return text;
}

}  // namespace

std::optional<store::GraphFile> exported_as(const std::string& output, const std::string& to) {
  const auto named = store::graph_file_of(output);
  if (is_standard_output(output) && (to.empty() || to == "fg"))
    throw Error(ErrorCode::Usage,
                to.empty() ? "-o - writes to standard output, and --to says in which format"
                           : "-o - writes to standard output, where no .fg file can be written");
  if (to == "fg") return {};
  if (to.empty()) return named;
  return store::GraphFile{*store::graph_format_named(to), io::compression_of(output).compression};
}

void run_export(const GraphExport& c, Session& session) {
  store::ExportOptions options;
  options.format = c.file.format;
  options.memory = c.convert.build.memory;
  options.threads = c.convert.build.threads;
  options.task = c.convert.build.task;
  const auto start = std::chrono::steady_clock::now();
  const bool shown = is_standard_output(c.output);
  if (shown) options.task.progress = nullptr;  // a terminal has the lines, or a bar
  const auto sink = io::compress(open_output(c.output), c.file.compression);
  const bool is_store = c.inputs.size() == 1 && store::is_store(c.inputs[0]);
  std::optional<store::ExportReport> report;  // none: the reader has gone away
  write_output([&] {
    report = is_store ? store::export_graph(c.inputs[0], *sink, options)
                      : store::export_files(c.inputs, *sink, options, c.convert);
  });
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  session.progress.clear();
  if (c.quiet || !report) return;
  const std::string summary = export_summary(c, *report, seconds);
  if (shown)
    write_aside(summary);
  else
    write_out(summary);
}

}  // namespace fathom::cli
