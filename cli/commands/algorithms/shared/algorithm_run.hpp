// The course of every algorithm's subcommand: check the outputs, open the graph, run the trials,
// verify, then write the result file, the report and the summary.
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/commands/algorithms/shared/ranking.hpp"
#include "cli/shared/loaded_graph.hpp"
#include "cli/shared/options.hpp"
#include "cli/shared/page/page_parts.hpp"
#include "cli/shared/ranks/rank_rows.hpp"
#include "cli/shared/report_json.hpp"
#include "cli/shared/session.hpp"
#include "fathom/core/error.hpp"
#include "fathom/core/function_ref.hpp"
#include "fathom/io/result_writer.hpp"

namespace fathom::cli {

/// Whether a result of edges goes to a store: its name ends in .fg.
bool is_store_path(const std::string& path);

/// What a command says of its algorithm.
struct AlgorithmTraits {
  std::string name;
  bool splits = false;         // vertex state (--strategy s)
  bool reads_weights = false;  // where there are any
  LoadedGraph::Opens opens = LoadedGraph::Opens::OutLists;
};

class AlgorithmRun {
 public:
  /// @throws Error(Io) when an output could not be written; whatever opening the graph throws.
  AlgorithmRun(AlgorithmTraits traits, const AlgorithmOptions& options, Session& session);

  const LoadedGraph& loaded() const { return loaded_; }
  const Context& context() const { return loaded_.context(); }
  const Graph& graph() const { return loaded_.graph(); }
  const Context& checking_context() const { return loaded_.checking_context(); }
  const Graph& checking_graph() const { return loaded_.checking_graph(); }
  /// The row of each vertex in results; empty when that is its id.
  std::span<const VertexId> rows() const { return loaded_.rows().row.span(); }
  std::uint64_t top() const { return options_.output.top; }
  /// Whether the first rank has a use for values of vertices, beside a summary: others compute
  /// alike.
  bool wants_columns() const { return wants_columns_; }
  /// Whether there is a result file, wherever it is.
  bool has_result() const { return !result_.empty(); }
  /// Files are the first rank's, but for values of vertices, which ranks write together.
  bool writes() const { return session_.group->rank() == 0; }
  const OutputOptions& output() const { return options_.output; }

  /// Runs compute() for each trial and gives the last result; then verify(result), if asked for.
  template <class Compute, class Verify>
  auto measure(const Compute& compute, const Verify& verify);

  /// For results that are not kept, which are checked as they come: notes how long that took, and
  /// what was wrong.
  void checked(double seconds, std::optional<std::string> refuted) {
    timing_.verification = seconds;
    refuted_ = std::move(refuted);
  }

  /// Everything that comes after the computation. `summary` is for people; `result` for machines;
  /// `described` for a page.
  /// @throws Error(VerificationFailed) or Error(NotConverged) once everything is written.
  void finish(const RunReport& run, Json result, std::span<const io::ResultColumn> columns,
              const Ranking& ranking, const std::string& summary, const DescribedRun& described);
  /// The same for a result that is edges: write(path), which all ranks call, leaves it in the file
  /// of -o, which the first rank alone writes().
  void finish(const RunReport& run, Json result, FunctionRef<void(const std::string& path)> write,
              const std::string& summary);

  Task task() const { return session_.task(options_.output.quiet); }
  const std::string& command_line() const { return session_.command_line; }

 private:
  template <class Result, class Verify>
  void check(const Result& result, const Verify& verify);
  bool refuted_anywhere() const;
  void write_result_file(std::span<const io::ResultColumn> columns, bool pairs);
  void report(const RunReport& run, Json result, const Ranking& ranking, const std::string& summary,
              const DescribedRun& described);
  void write_report(const Json& json, const DescribedRun& described) const;
  std::string times(const RunReport& run, const std::vector<RankRow>& ranks) const;

  AlgorithmTraits traits_;
  const AlgorithmOptions& options_;
  Session& session_;
  std::uint64_t available_memory_;  // before the graph was opened
  LoadedGraph loaded_;
  std::string result_;  // the first rank's path; empty: none
  bool wants_columns_ = false;
  Timing timing_;
  std::optional<std::string> refuted_;
  RankRow rank_row_;
};

template <class Compute, class Verify>
auto AlgorithmRun::measure(const Compute& compute, const Verify& verify) {
  std::optional<decltype(compute())> result;
  for (int trial = 0; trial < options_.output.trials; ++trial) {
    result.reset();  // two results at a time would count twice against the budget
    const RankMeter meter(context().group());
    result.emplace(compute());
    timing_.trials.push_back(result->report.seconds);
    rank_row_ = meter.row(context());
  }
  if (options_.output.verify) check(*result, verify);
  return std::move(*result);
}

template <class Result, class Verify>
void AlgorithmRun::check(const Result& result, const Verify& verify) {
  const auto start = std::chrono::steady_clock::now();
  try {
    verify(result);
  } catch (const Error& e) {
    if (e.code() != ErrorCode::VerificationFailed) throw;
    refuted_ = e.what();
  }
  timing_.verification =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace fathom::cli
