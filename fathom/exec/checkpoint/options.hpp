// Checkpoints of iterative algorithms: where the state of an iteration is written, so that another
// run goes on from there. What an algorithm's options point to.
#pragma once

#include <cstdint>
#include <string>

#include "fathom/core/platform.hpp"

namespace fathom {

class ReplicaGroup;

/// Has to live as long as the run. One object will do for several ranks.
///
/// Going on gives what not having stopped would have given, bit by bit where the algorithm is
/// deterministic and runs in the same way (residency, threads, devices, ranks), which may be
/// another one: then results agree as those of two runs do. The report counts what this run did,
/// and iterations from the beginning.
///
/// Errors of algorithms that are given one, beside their own: @throws Error(Usage) for a checkpoint
/// of another algorithm, graph, number of ranks or options that matter (not the limit of
/// iterations), and one that is beyond the limit of iterations; Error(BadInput) for a file that is
/// damaged or none; Error(Io). Each names the file.
struct CheckpointOptions {
  /// The file to write; of several ranks each writes a part, checkpoint_file(). Empty: none. A file
  /// is whole or not there, and what it replaces stays until all ranks have the next. Written too
  /// when the limit of iterations is reached, and when the task is cancelled, unless that comes
  /// amid a change (cdlp's async) or to one rank alone amid an iteration (streamed; cdlp's).
  std::string write = {};
  /// Iterations from one checkpoint to the next. 0: those that end kCheckpointSeconds after the
  /// last one or later, so that writing takes no more than a tenth of the time.
  std::uint32_t every = 0;
  /// The file to go on from; empty: from the beginning.
  std::string resume = {};
  /// The graph's fingerprint, as its store has it (store::Header::fingerprint), or what else tells
  /// the caller's graphs apart.
  std::uint64_t graph = 0;
};

inline constexpr double kCheckpointSeconds = 10;

/// The file of a rank: `path` of a rank alone, "path.0-of-4" of the first of four. While the next
/// one is written by all, the last has ".before" at its end.
FATHOM_API std::string checkpoint_file(const std::string& path, const ReplicaGroup& group);

}  // namespace fathom
