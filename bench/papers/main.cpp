// fathom-bench: experiments of the papers, redone. `fathom bench WHAT` starts it as `fathom-bench
// WHAT`; in what it says and records it is the former.
#include <fmt/format.h>

#include <array>
#include <new>
#include <string_view>
#include <vector>

#include "bench/papers/benchmarks.hpp"
#include "cli/shared/program.hpp"
#include "fathom/core/version.hpp"

namespace fathom::cli {
namespace {

void make(CLI::App& program, Session& session) {
  program.set_version_flag("--version", fmt::format("fathom-bench {}", kVersion));
  add_bench(program, session);
}

int run(int count, char** words) {
  std::array<char, 7> name{"fathom"};
  std::array<char, 6> bench{"bench"};
  std::vector<char*> typed{name.data()};
  if (count < 2 || words[1] != std::string_view("--version")) typed.push_back(bench.data());
  for (int i = 1; i < count; ++i) typed.push_back(words[i]);
  return run_program(static_cast<int>(typed.size()), typed.data(), make);
}

}  // namespace
}  // namespace fathom::cli

int main(int count, char** words) {
  try {
    return fathom::cli::run(count, words);
  } catch (const std::bad_alloc&) {
    return fathom::cli::out_of_memory();
  }
}
