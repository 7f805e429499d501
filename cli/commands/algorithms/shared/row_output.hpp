// Results that are rows and are not kept: of the last trial they are checked and written as they
// come, so that what --verify checks is what -o writes. All ranks check, the first one writes.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands/algorithms/shared/algorithm_run.hpp"
#include "cli/shared/result_output.hpp"

namespace fathom::cli {

/// Of a run, which outlives it.
class RowOutput {
 public:
  /// columns(): the names, asked for when there is a file.
  RowOutput(AlgorithmRun& run, Session& session,
            const std::function<std::vector<std::string>()>& columns);

  /// Whether the rows of the trial that begins are looked at, by all ranks alike: it is the last
  /// one, and there is a file or a check.
  bool begin_trial();
  /// Where results are verified, runs `verify`, unless an earlier one has failed.
  void check(FunctionRef<void()> verify);
  /// Where there is a file and nothing is wrong so far: add(table) adds rows.
  void write(FunctionRef<void(io::TableWriter&)> add);
  /// AlgorithmRun::finish(): the file appears when nothing was wrong.
  void finish(const RunReport& report, Json result, const std::string& summary);

 private:
  AlgorithmRun& run_;
  std::optional<io::TableWriter> table_;
  int trials_ = 0;
  double check_seconds_ = 0;
  std::optional<std::string> refuted_;
};

}  // namespace fathom::cli
