#include "cli/shared/ranks/ranks.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

#include "fathom/core/parallel.hpp"
#include "fathom/exec/ranks/mpi_ranks.hpp"

namespace fathom::cli {
std::shared_ptr<ReplicaGroup> Ranks::start() {
  group_ = launched_as_rank() ? start_mpi_ranks() : ReplicaGroup::alone();
  if (group_->rank() > 0) {
    const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere >= 0) {
      ::dup2(nowhere, STDOUT_FILENO);
      ::close(nowhere);
    }
  }
  return group_;
}

int Ranks::fail(int status, FunctionRef<void(const std::string& prefix)> say) const {
  if (!several()) {
    say("");
  } else if (all_mpi_ranks_failed(status)) {
    if (first()) say("");
  } else {
    say(fmt::format("rank {}: ", group_->rank()));
    abort_mpi_ranks(status);
  }
  return status;
}

int threads_of_rank(const ReplicaGroup& group) {
  // A launcher that binds ranks to processors has divided them already.
  const int here = worker_count(0);
  const bool divided = here < static_cast<int>(std::thread::hardware_concurrency());
  return divided ? here : std::max(1, here / ranks_on_this_machine(group));
}

}  // namespace fathom::cli
