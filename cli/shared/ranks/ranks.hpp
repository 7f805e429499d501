// This process as one rank of several, started by mpirun or srun: what ranks other than the first
// keep to themselves, and how all of them end when one fails.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "fathom/core/function_ref.hpp"
#include "fathom/exec/ranks/replica_group.hpp"

namespace fathom::cli {

class Ranks {
 public:
  /// The group of all ranks, or of this process alone where no launcher started it. Standard output
  /// is the first rank's from then on.
  /// @throws Error(Device) where a launcher did, and the program was built without MPI;
  /// Error(Usage)
  ///         on all ranks where one was started with other words, but for what may differ.
  std::shared_ptr<ReplicaGroup> start(std::span<char* const> words);

  bool first() const { return !group_ || group_->rank() == 0; }

  /// Calls say(prefix) to have said what went wrong, and on which rank, and ends the other ranks
  /// too. What goes wrong on all ranks the first one says, and each ends by itself.
  int fail(int status, FunctionRef<void(const std::string& prefix)> say) const;

 private:
  bool several() const { return group_ && group_->ranks() > 1; }
  std::shared_ptr<ReplicaGroup> group_;
};

/// Of a file that every rank has read, which may be another file on another machine.
/// @throws Error(BadInput) on all ranks where one found something else in it than the first.
void check_same_content(ReplicaGroup& group, const std::string& path,
                        std::span<const std::byte> found);

/// Threads of a rank that shares its machine's processors with others: its part of them.
int threads_of_rank(const ReplicaGroup& group);

}  // namespace fathom::cli
