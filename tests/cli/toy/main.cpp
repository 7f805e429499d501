// The program with one algorithm more: the line that registers it is all that is outside of the
// algorithm's folder.
#include "cli/commands/commands.hpp"
#include "cli/shared/program.hpp"
#include "fathom/algorithms/described/algorithm.hpp"
#include "tests/cli/toy/loops/loops.hpp"

int main(int count, char** words) {
  fathom::add_algorithm(fathom::describe_loops());
  return fathom::cli::run_program(count, words, fathom::cli::add_commands);
}
