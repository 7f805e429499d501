#include "cli/commands/algorithms/shared/algorithm_run.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/machine/probes.hpp"
#include "cli/shared/console.hpp"
#include "cli/shared/report_html.hpp"
#include "cli/shared/result_output.hpp"
#include "fathom/algorithms/described/algorithm.hpp"
#include "fathom/core/units.hpp"
#include "fathom/exec/ranks/shared_results.hpp"
#include "fathom/exec/ranks/told_by_first.hpp"
#include "fathom/residency/host_memory.hpp"

namespace fathom::cli {
namespace {

/// A line for each thing worth saying of the host memory that GPUs read; nothing without any.
std::string host_memory_text(const HostMemoryReport& memory) {
  if (memory.bytes() == 0) return "";
  std::string text =
      fmt::format("{} of host memory for the GPU ({}) in {}", format_bytes(memory.bytes()),
                  fmt::join(memory.ways(), ", "), format_seconds(memory.seconds()));
  if (memory.background_seconds() > 0)
    text += fmt::format(", and {} beside other work", format_seconds(memory.background_seconds()));
  text += "\n";
  for (const std::string& note : memory.notes()) text += "note: " + note + "\n";
  return text;
}

/// Before the graph is opened.
void check_strategy(const AlgorithmTraits& traits, const AlgorithmOptions& options) {
  if (options.execution.strategy != "s" || traits.splits) return;
  throw Error(ErrorCode::Usage,
              fmt::format("{} cannot split its vertex state (--strategy s): {} can; --strategy p "
                          "keeps all of it on each device",
                          traits.name, fmt::join(splitting_algorithms(), ", ")));
}

ExecutionOptions of_rank(ExecutionOptions options, const Session& session) {
  options.group = session.group;
  return options;
}

const AlgorithmOptions& with_writable_outputs(const AlgorithmTraits& traits,
                                              const AlgorithmOptions& options,
                                              const Session& session) {
  check_strategy(traits, options);
  const std::string& result = options.output.result;
  if (!result.empty() && !options.output.edges) result_kind(result);
  if (!result.empty() && options.output.edges && !is_store_path(result)) table_separator(result);
  if (is_standard_output(result) && (options.output.json || options.output.top > 0))
    throw Error(ErrorCode::Usage, fmt::format("-o - and {} would both write to standard output",
                                              options.output.json ? "--json" : "--top"));
  if (session.group->rank() > 0) return options;
  if (!is_standard_output(result)) check_writable(result);
  check_writable(options.output.report);
  check_writable(options.execution.trace);
  return options;
}

}  // namespace

bool is_store_path(const std::string& path) {
  return path.size() > 3 && path.compare(path.size() - 3, 3, ".fg") == 0;
}

AlgorithmRun::AlgorithmRun(AlgorithmTraits traits, const AlgorithmOptions& options,
                           Session& session)
    : traits_(std::move(traits)),
      options_(with_writable_outputs(traits_, options, session)),
      session_(session),
      available_memory_(is_page_path(options_.output.report) ? available_memory() : 0),
      loaded_(options.graph, of_rank(options.execution, session),
              session.task(options.output.quiet), traits_.opens),
      result_(told_by_first(*session.group, options_.output.result)) {
  std::uint8_t ranking = options_.output.top > 0 ? 1 : 0;
  session.group->broadcast(&ranking, sizeof ranking, 0);
  wants_columns_ = ranking != 0 || !result_.empty();
  timing_.load = loaded_.load_seconds();
}

void AlgorithmRun::finish(const RunReport& run, Json result,
                          std::span<const io::ResultColumn> columns, const Ranking& ranking,
                          const std::string& summary, const DescribedRun& described) {
  if (!refuted_anywhere()) write_result_file(columns, described.pairs);
  report(run, std::move(result), ranking, summary, described);
}

void AlgorithmRun::finish(const RunReport& run, Json result,
                          FunctionRef<void(const std::string& path)> write,
                          const std::string& summary) {
  if (!refuted_anywhere() && has_result()) {
    if (is_standard_output(result_)) session_.progress.clear();
    write_output([&] { write(result_); });
  }
  report(run, std::move(result), {}, summary, {});
}

void AlgorithmRun::report(const RunReport& run, Json result, const Ranking& ranking,
                          const std::string& summary, const DescribedRun& described) {
  const OutputOptions& output = options_.output;
  if (output.top > 0) result["top"] = json_of(ranking, loaded_);
  const auto verified = timing_.verification ? std::optional(!refuted_) : std::nullopt;
  const std::vector<RankRow> ranks = gather_rows(context(), rank_row_);
  Json json = report_json(traits_.name, loaded_, run, timing_, std::move(result), verified,
                          traits_.reads_weights && loaded_.graph().weighted());
  json["ranks"] = cli::json_of(ranks);
  if (!output.report.empty() && writes()) write_report(json, described);
  if (loaded_.trace() && writes()) write_text(options_.execution.trace, loaded_.trace()->json());
  session_.progress.clear();
  if (output.json) {
    write_out(to_text(json));
  } else if (is_standard_output(output.result)) {
    flush_out();
    if (!output.quiet) write_aside(summary + times(run, ranks));
  } else {
    if (!output.quiet) write_out(summary);
    if (output.top > 0) write_out(table_of(ranking, loaded_));
    if (!output.quiet) write_out(times(run, ranks));
  }
  flush_out();
  if (refuted_) throw Error(ErrorCode::VerificationFailed, "verification failed: " + *refuted_);
  if (!run.converged)
    throw Error(ErrorCode::NotConverged,
                fmt::format("{} has not converged after {} iterations (--max-iter allows more)",
                            traits_.name, run.iterations));
}

void AlgorithmRun::write_report(const Json& json, const DescribedRun& described) const {
  const std::string& path = options_.output.report;
  if (!is_page_path(path)) return write_json(path, json);
  Json page = json;
  add_page_parts(
      page, {loaded_, options_.execution, described, available_memory_, session_.command_line});
  write_text(path, html_report(page));
}

bool AlgorithmRun::refuted_anywhere() const {
  const std::uint8_t mine = refuted_ ? 1 : 0;
  std::vector<std::uint8_t> all(static_cast<std::size_t>(session_.group->ranks()));
  session_.group->all_gather(&mine, sizeof mine, all.data());
  return std::find(all.begin(), all.end(), 1) != all.end();
}

void AlgorithmRun::write_result_file(std::span<const io::ResultColumn> columns, bool pairs) {
  if (result_.empty() || (is_standard_output(result_) && !writes())) return;
  const std::string& path = result_;
  // A terminal has the lines, or a bar.
  const bool shown = is_standard_output(path);
  if (shown) session_.progress.clear();
  const Task task = session_.task(options_.output.quiet || shown);
  const auto rows_of = [&] {
    if (pairs)
      return io::ResultRows(
          result_kind(path),
          std::visit([](auto values) { return values.size(); }, columns.front().values), nullptr,
          columns);
    const auto label = [&](std::size_t v, std::string& out) {
      out += loaded_.label(static_cast<VertexId>(v));
    };
    return io::ResultRows(result_kind(path), loaded_.graph().vertices(), label, columns,
                          loaded_.rows().vertex.span());
  };
  const io::ResultRows rows = rows_of();
  if (!shown && session_.group->ranks() > 1)
    return write_results(*session_.group, path, rows, task);
  write_output([&] { io::write_results(*open_output(path), rows, task); });
}

std::string AlgorithmRun::times(const RunReport& run, const std::vector<RankRow>& ranks) const {
  const double seconds = timing_.median();
  std::string text = fmt::format("loaded in {}, computed in {}", format_seconds(timing_.load),
                                 format_seconds(seconds));
  if (timing_.trials.size() > 1)
    text += fmt::format(" (median of {} trials)", timing_.trials.size());
  if (timing_.verification && !refuted_)
    text += fmt::format(", verified in {}", format_seconds(*timing_.verification));
  if (run.edges_traversed > 0 && seconds > 0)
    text += fmt::format("; {} edges, {:.3g} million per second", format_count(run.edges_traversed),
                        static_cast<double>(run.edges_traversed) / seconds / 1e6);
  return text + "\n" + text_of(ranks) + host_memory_text(host_memory_of(loaded_.graph()));
}

}  // namespace fathom::cli
