#include "cli/shared/ranks/ranks.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "cli/shared/console.hpp"
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

// What only a rank's own memory, threads and output depend on.
constexpr std::array kMayDiffer{"--threads", "--host-memory", "--memory", "--device-memory",
                                "--device",  "--page-size",   "--top",    "--report",
                                "-o",        "--output"};
constexpr std::array kMayBeThere{"-q", "--quiet", "--json"};

/// Whether a word looks like a file, which may lie elsewhere on another machine, or not be there.
bool names_file(std::string_view word, std::size_t place) {
  if (place == 2 && !word.starts_with('-')) return true;  // the graph
  const std::size_t dot = word.rfind('.');
  const bool has_suffix = dot != word.npos && dot + 1 < word.size() &&
                          std::isalpha(static_cast<unsigned char>(word[dot + 1])) != 0;
  return has_suffix || ::access(std::string(word).c_str(), F_OK) == 0;
}

/// The words that ranks have in common.
std::string common_words(std::span<char* const> words) {
  std::string common;
  const auto is_one_of = [](const auto& all, std::string_view word) {
    return std::find(all.begin(), all.end(), word) != all.end();
  };
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string_view word = words[i];
    const std::size_t equals = word.find('=');
    if (is_one_of(kMayDiffer, word)) {
      ++i;
    } else if (!(equals != word.npos && is_one_of(kMayDiffer, word.substr(0, equals))) &&
               !is_one_of(kMayBeThere, word) && !names_file(word, i)) {
      common.append(word).push_back('\n');
    }
  }
  return common;
}

/// @throws Error of that kind on all ranks where one has another text than the first; what(rank)
/// says it of that one.
void check_same(ReplicaGroup& group, std::string_view text, ErrorCode kind,
                FunctionRef<std::string(const std::string& rank)> what) {
  const std::uint64_t mine = std::hash<std::string_view>()(text);
  std::vector<std::uint64_t> all(static_cast<std::size_t>(group.ranks()));
  group.all_gather(&mine, sizeof mine, all.data());
  fail_together(group, [&] {
    if (mine != all[0])
      throw Error(kind, what(fmt::format("rank {} ({})", group.rank(), machine())));
  });
}

void check_same_words(ReplicaGroup& group, std::span<char* const> words) {
  check_same(group, common_words(words), ErrorCode::Usage, [](const std::string& rank) {
    return fmt::format(
        "{} was started with other words than the first rank; only {}, {} and the places of files "
        "may differ",
        rank, fmt::join(kMayDiffer, ", "), fmt::join(kMayBeThere, ", "));
  });
}

}  // namespace

std::shared_ptr<ReplicaGroup> Ranks::start(std::span<char* const> words) {
  group_ = launched_as_rank() ? start_mpi_ranks() : ReplicaGroup::alone();
  if (several()) check_same_words(*group_, words);
  if (group_->rank() > 0) {
    say_nothing_aside();
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

void check_same_content(ReplicaGroup& group, const std::string& path,
                        std::span<const std::byte> found) {
  const std::string_view text(reinterpret_cast<const char*>(found.data()), found.size());
  check_same(group, text, ErrorCode::BadInput, [&](const std::string& rank) {
    return fmt::format("{}: {} found something else in it than the first rank", path, rank);
  });
}

int threads_of_rank(const ReplicaGroup& group) {
  // A launcher that binds ranks to processors has divided them already.
  const int here = worker_count(0);
  const bool divided = here < static_cast<int>(std::thread::hardware_concurrency());
  return divided ? here : std::max(1, here / ranks_on_this_machine(group).ranks);
}

}  // namespace fathom::cli
