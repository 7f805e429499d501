// fathom partition: a graph in parts, one file for each process that will have a piece of it.
#include <chrono>
#include <memory>

#include "cli/commands/commands.hpp"
#include "cli/commands/stores/shared/part_output.hpp"
#include "cli/commands/stores/shared/store_output.hpp"
#include "cli/shared/options.hpp"
#include "fathom/exec/ranks/fail_together.hpp"
#include "fathom/exec/ranks/mpi_ranks.hpp"
#include "fathom/residency/parts/part_graph.hpp"
#include "fathom/store/parts/partition.hpp"

namespace fathom::cli {
namespace {

struct PartitionCommand {
  std::string graph, directory;
  std::uint32_t parts = 0;
  BuildMemory memory;
  bool json = false, quiet = false;
};

void run_partition(const PartitionCommand& c, Session& session) {
  const auto start = std::chrono::steady_clock::now();
  ReplicaGroup& group = *session.group;
  if (group.ranks() > 1) open_graph(group, c.graph);  // that all of them have the same one
  const auto parts = store::partition(
      c.graph, c.directory,
      {c.parts, c.memory.bytes(ranks_on_this_machine(group).ranks), session.command_line,
       session.task(c.quiet), store::parts_of_rank(c.parts, group.rank(), group.ranks())});
  fail_together(group, [] {});  // others have written theirs, too
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  session.progress.clear();
  print_parts(parts, c.directory, took.count(), c.json, c.quiet);
}

}  // namespace

void add_partition(CLI::App& program, Session& session) {
  auto* command = program.add_subcommand(
      "partition", "Divide a graph into parts, one for each process of mpirun");
  auto c = std::make_shared<PartitionCommand>();
  add_graph(*command, c->graph);
  command->add_option("--parts", c->parts, "How many: as many as there will be ranks")
      ->type_name("N")
      ->check(CLI::Range(1u, store::kMostParts))
      ->required();
  command
      ->add_option("-o,--output", c->directory,
                   "The directory of the parts; made if it is not there, else without other files")
      ->type_name("DIR")
      ->required();
  c->memory.add_to(*command, "Bound on the memory used");
  command->add_flag("--json", c->json, "Print one JSON object");
  command->add_flag("-q,--quiet", c->quiet, "Print nothing");
  command->footer(
      "A part is a .fg file with the lists of a range of vertices, as many edges as other parts\n"
      "have, and the offsets and labels of all. Each rank opens its own, which need not be where\n"
      "others see it: copy part-00001-of-00004.fg to the machine of rank 1. The graph itself is "
      "not\n"
      "needed any more. (The edges between given sets of vertices are another thing: see\n"
      "`fathom cross-edges --partition`.) Under mpirun ranks write some of the parts each.\n\n"
      "Examples:\n"
      "  fathom partition graph.fg --parts 4 -o parts\n"
      "  mpirun -n 4 fathom pagerank parts --top 10");
  command->callback([c, &session] {
    session.on_all_ranks = true;
    session.command = [c, &session] { run_partition(*c, session); };
  });
}

}  // namespace fathom::cli
