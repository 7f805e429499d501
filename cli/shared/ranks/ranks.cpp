#include "cli/shared/ranks/ranks.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "fathom/core/error.hpp"
#include "fathom/core/parallel.hpp"
#include "fathom/exec/ranks/fail_together.hpp"
#include "fathom/exec/ranks/mpi_ranks.hpp"

namespace fathom::cli {
namespace {

std::string machine() {
  char name[64] = "";
  ::gethostname(name, sizeof name - 1);
  return name;
}

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

int Ranks::fail(int status, FunctionRef<void(const std::string& prefix)> say) const {
  if (!several()) {
    say("");
  } else if (all_mpi_ranks_failed(status)) {
    if (first()) say("");
  } else {
    say(fmt::format("rank {} ({}): ", group_->rank(), machine()));
    abort_mpi_ranks(status);
  }
  return status;
}

void check_same_run(const Context& context, const std::string& algorithm,
                    const store::Header& header, const std::string& path) {
  ReplicaGroup& group = context.group();
  struct Run {
    std::uint64_t fingerprint = 0, vertices = 0, algorithm = 0;
  };
  const Run mine{header.fingerprint, header.vertices, std::hash<std::string>()(algorithm)};
  std::vector<Run> all(static_cast<std::size_t>(group.ranks()));
  group.all_gather(&mine, sizeof mine, all.data());
  fail_together(group, [&] {
    if (mine.algorithm != all[0].algorithm)
      throw Error(ErrorCode::Usage, fmt::format("rank {} ({}) runs {}, and the first rank another "
                                                "algorithm",
                                                group.rank(), machine(), algorithm));
    if (mine.fingerprint != all[0].fingerprint || mine.vertices != all[0].vertices)
      throw Error(ErrorCode::BadInput,
                  fmt::format("rank {} ({}): {} is another graph than the first rank has "
                              "(fingerprint {:016x}, not {:016x})",
                              group.rank(), machine(), path, mine.fingerprint, all[0].fingerprint));
  });
}

int threads_of_rank(const ReplicaGroup& group) {
  // A launcher that binds ranks to processors has divided them already.
  const int here = worker_count(0);
  const bool divided = here < static_cast<int>(std::thread::hardware_concurrency());
  return divided ? here : std::max(1, here / ranks_on_this_machine(group));
}

}  // namespace fathom::cli
