#include "cli/commands/bench.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "cli/commands/commands.hpp"
#include "cli/shared/console.hpp"
#include "cli/shared/words/command_words.hpp"
#include "fathom/core/error.hpp"

namespace fathom::cli {
namespace {

constexpr std::string_view kName = "bench";

/// Where `bench` stands among the words; 0 where it does not begin them.
int place_of_bench(int count, char** words) {
  for (int i = 1; i < count; ++i) {
    const std::string_view word = words[i];
    if (word == kName) return i;
    if (word != "--help" && word != "-h") return 0;
  }
  return 0;
}

std::string folder_of_this_program() {
  std::error_code unknown;
  return std::filesystem::read_symlink("/proc/self/exe", unknown).parent_path();
}

/// What a program prints, all of it; nothing where it cannot be started.
std::string output_of(const std::string& path, const std::string& word) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return "";
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  std::array<char*, 3> words{const_cast<char*>(path.c_str()), const_cast<char*>(word.c_str()),
                             nullptr};
  pid_t started = 0;
  const int refused =
      ::posix_spawn(&started, path.c_str(), &actions, nullptr, words.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  std::string text;
  std::array<char, 4096> piece{};
  for (ssize_t got = 0; refused == 0;) {
    got = ::read(ends[0], piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    text.append(piece.data(), static_cast<std::size_t>(got));
  }
  ::close(ends[0]);
  if (refused == 0) ::waitpid(started, nullptr, 0);
  return text;
}

}  // namespace

bool names_bench(int count, char** words) {
  return place_of_bench(count, words) != 0;
}

int become_bench(int count, char** words) {
  const std::string folder = folder_of_this_program();
  std::string path = folder + "/fathom-bench";
  std::vector<char*> passed{path.data()};
  for (int i = 1; i < count; ++i)
    if (i != place_of_bench(count, words)) passed.push_back(words[i]);
  passed.push_back(nullptr);
  ::execv(path.c_str(), passed.data());
  if (errno != ENOENT) {
    complain(fmt::format("{}: {}", path, std::generic_category().message(errno)));
    return static_cast<int>(ErrorCode::Io);
  }
  complain(
      fmt::format("the benchmarks are a program of their own, fathom-bench, and {} has none: "
                  "they are built by `make bench`, or with -DFATHOM_BUILD_BENCH=ON",
                  folder));
  return static_cast<int>(ErrorCode::Usage);
}

void ask_bench_for_words(CLI::App& program) {
  const std::string words = output_of(folder_of_this_program() + "/fathom-bench", kCommandWords);
  if (!words.empty()) add_command_words(*program.get_subcommand("bench"), words);
}

void add_bench(CLI::App& program, Session& /*session*/) {
  // Only for the list of commands: where it is called, fathom-bench is (main.cpp).
  program.add_subcommand("bench", "Experiments of the papers, redone");
}

}  // namespace fathom::cli
