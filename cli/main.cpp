// fathom: the program.
#include <new>

#include "cli/commands/bench.hpp"
#include "cli/commands/commands.hpp"
#include "cli/shared/program.hpp"

int main(int count, char** words) {
  using namespace fathom::cli;
  try {
    return names_bench(count, words) ? become_bench(count, words)
                                     : run_program(count, words, add_commands);
  } catch (const std::bad_alloc&) {
    return out_of_memory();
  }
}
