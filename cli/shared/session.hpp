// What every subcommand gets from main: cancellation, progress, and the words it was called with.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "cli/shared/progress_bar.hpp"
#include "fathom/core/task.hpp"
#include "fathom/exec/ranks/replica_group.hpp"

namespace fathom::cli {

struct Session {
  std::stop_token stop;
  ProgressBar progress;
  Progress* observer = nullptr;   // looks on instead of the bar, if there is one
  std::string command_line;       // as typed, for provenance
  std::function<void()> command;  // set by the subcommand that was named; runs after parsing
  // Of one rank: what is said and written is the first one's.
  std::shared_ptr<ReplicaGroup> group = ReplicaGroup::alone();
  bool on_all_ranks = false;  // the command works on all of them; otherwise on the first alone

  Task task(bool quiet = false) {
    if (observer) return {stop, observer};
    return {stop, quiet || group->rank() > 0 ? nullptr : &progress};
  }
};

}  // namespace fathom::cli
