// What every subcommand gets from main: cancellation, progress, and the words it was called with.
#pragma once

#include <functional>
#include <stop_token>
#include <string>

#include "cli/shared/progress_bar.hpp"
#include "fathom/core/task.hpp"

namespace fathom::cli {

struct Session {
  std::stop_token stop;
  ProgressBar progress;
  Progress* observer = nullptr;   // looks on instead of the bar, if there is one
  std::string command_line;       // as typed, for provenance
  std::function<void()> command;  // set by the subcommand that was named; runs after parsing

  Task task(bool quiet = false) {
    if (observer) return {stop, observer};
    return {stop, quiet ? nullptr : &progress};
  }
};

}  // namespace fathom::cli
