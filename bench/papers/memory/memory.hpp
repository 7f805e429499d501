// What the files of `fathom bench memory` share: the survey's parts, for any SurveySubject, and
// what they find.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/survey/survey.hpp"
#include "cli/shared/report_json.hpp"
#include "fathom/core/task.hpp"

namespace fathom::cli::memory_bench {

using memory::SubjectKind;
using memory::SurveySubject;

struct Options {
  bool on_gpu = false;
  std::uint64_t heap_bytes = 0;
  std::vector<std::uint64_t> allocations, sizes;  // ascending
  int trials = 5, rounds = 20, threads = 2;
  std::uint64_t seed = 1, operations = 0;
  double limit_ms = 2000;  // for the rounds of one row
  std::vector<std::string> parts;

  bool wants(const char* part) const;
  std::uint64_t most_blocks() const;
  /// Of the parts that take one number of allocations: 100,000, or the largest below it.
  std::uint64_t usual_blocks() const;
};

inline constexpr const char* kParts[] = {"thread",  "warp",          "mixed",
                                         "scaling", "fragmentation", "utilisation",
                                         "work",    "churn",         "endurance"};

/// Milliseconds for all blocks of a round; absent where there was no such round.
struct Row {
  std::uint64_t blocks = 0, low = 0, high = 0;  // sizes in bytes
  int rounds = 0;
  double cold_ms = 0, write_ms = 0;
  std::optional<double> warm_ms, free_ms, free_cold_ms;
  // First round: asked for, the same rounded up to powers of two, and the range of addresses.
  std::uint64_t asked_bytes = 0, rounded_bytes = 0, span_bytes = 0;
  std::uint64_t span_bytes_after = 0, span_bytes_most = 0;  // last round, any round
  std::uint64_t failed = 0;                                 // of all rounds
};
struct Work {
  std::uint64_t blocks = 0, low = 0, high = 0;
  double ms = 0, prefix_sum_ms = 0;
};
struct Endurance {
  std::uint64_t operations = 0, refused = 0;
  double ms = 0;
  std::optional<memory::Account> account;  // after everything was freed
};

struct Survey {
  std::string name;
  double init_ms = 0, reset_ms = 0;
  std::optional<memory::Registers> registers;
  std::vector<Row> thread, warp, mixed, scaling, fragmentation;
  std::vector<std::pair<std::uint64_t, double>> utilisation;  // size, share of the data handed out
  std::uint64_t utilisation_heap = 0;
  std::vector<Work> work;
  double churn_ms = 0;
  std::vector<std::uint64_t> churn_span;  // bytes, after each round
  std::optional<Endurance> endurance;
  std::vector<std::string> left_out;
};

/// @throws Error(VerificationFailed) when two blocks overlap, or one does not hold what was written
Survey survey(const SubjectKind& kind, const Options& options, const Task& task);

/// The allocators that run on host threads.
std::vector<SubjectKind> host_subjects();

Json to_json(const Survey& survey);
std::string to_table(const Survey& survey);

}  // namespace fathom::cli::memory_bench
