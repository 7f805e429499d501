#include "cli/shared/ranks.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "cli/shared/console.hpp"
#include "fathom/core/parallel.hpp"
#include "fathom/exec/ranks/mpi_ranks.hpp"

namespace fathom::cli {
namespace {

// What went wrong on all ranks the first one says, and ends the others before they do.
constexpr std::chrono::milliseconds kForTheFirst{500};

}  // namespace

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

void Ranks::complain(const std::string& message) const {
  if (!several()) return cli::complain(message);
  if (group_->rank() > 0) std::this_thread::sleep_for(kForTheFirst);
  cli::complain(fmt::format("rank {}: {}", group_->rank(), message));
}

int Ranks::end(int status) const {
  if (status != 0 && several()) abort_mpi_ranks(status);
  return status;
}

int threads_of_rank(const ReplicaGroup& group) {
  // A launcher that binds ranks to processors has divided them already.
  const int here = worker_count(0);
  const bool divided = here < static_cast<int>(std::thread::hardware_concurrency());
  return divided ? here : std::max(1, here / ranks_on_this_machine(group));
}

}  // namespace fathom::cli
