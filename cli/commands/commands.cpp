#include "cli/commands/commands.hpp"

#include <fmt/format.h>

#include "fathom/algorithms/described/algorithm.hpp"
#include "fathom/core/version.hpp"

namespace fathom::cli {

void add_commands(CLI::App& program, Session& session) {
  program.description("Analyses graphs larger than memory.");
  program.set_version_flag("--version", fmt::format("fathom {}", kVersion));
  program.footer(
      "`fathom COMMAND --help` explains a command, with examples; `man fathom` everything.\n\n"
      "Start here:\n"
      "  fathom generate rmat --scale 16 -o graph.fg\n"
      "  fathom info graph.fg\n"
      "  fathom bfs graph.fg --source 0");
  add_generate(program, session);
  add_convert(program, session);
  add_reorder(program, session);
  add_info(program, session);
  add_verify(program, session);
  add_stripe(program, session);
  add_partition(program, session);
  for (const Algorithm* algorithm : described_algorithms())
    add_described(program, session, *algorithm);
  add_subgraph(program, session);
  add_egonet(program, session);
  add_cross_edges(program, session);
  add_walks(program, session);
  add_sample(program, session);
  add_stream(program, session);
  add_plan(program, session);
  add_doctor(program, session);
  add_bench(program, session);
  add_completion(program, session);
  add_descriptions(program, session);
}

}  // namespace fathom::cli
