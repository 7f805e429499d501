#include "cli/commands/algorithms/shared/row_output.hpp"

#include <chrono>

namespace fathom::cli {

RowOutput::RowOutput(AlgorithmRun& run, Session& session,
                     const std::function<std::vector<std::string>()>& columns)
    : run_(run) {
  const std::string& path = run.output().result;
  if (path.empty() || !run.writes()) return;
  if (is_standard_output(path)) session.progress.clear();
  table_.emplace(open_table(path));
  write([&](io::TableWriter& table) {
    for (const std::string& name : columns()) table.field(name);
    table.end_row();
  });
}

bool RowOutput::begin_trial() {
  return ++trials_ == run_.output().trials && (run_.has_result() || run_.output().verify);
}

void RowOutput::check(FunctionRef<void()> verify) {
  if (!run_.output().verify || refuted_) return;
  const auto start = std::chrono::steady_clock::now();
  try {
    verify();
  } catch (const Error& e) {
    if (e.code() != ErrorCode::VerificationFailed) throw;
    refuted_ = e.what();
  }
  check_seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void RowOutput::write(FunctionRef<void(io::TableWriter&)> add) {
  if (!table_ || refuted_) return;
  bool written = false;
  write_output([&] {
    add(*table_);
    written = true;
  });
  if (!written) table_.reset();  // whoever read it has gone away
}

void RowOutput::finish(const RunReport& report, Json result, const std::string& summary) {
  if (run_.output().verify) run_.checked(check_seconds_, refuted_);
  run_.finish(
      report, std::move(result),
      [&](const std::string&) {
        if (table_) table_->commit();
      },
      summary);
}

}  // namespace fathom::cli
