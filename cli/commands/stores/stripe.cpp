// fathom stripe: the lists of a graph, dealt to several disks.
#include <fmt/format.h>

#include <memory>

#include "cli/commands/commands.hpp"
#include "cli/shared/console.hpp"
#include "cli/shared/options.hpp"
#include "fathom/core/units.hpp"
#include "fathom/store/stripes.hpp"

namespace fathom::cli {
namespace {

struct StripeCommand {
  std::string graph;
  std::vector<std::string> directories;
  bool quiet = false;
};

void run_stripe(const StripeCommand& c, Session& session) {
  const auto paths = store::write_stripes(c.graph, c.directories, session.task(c.quiet));
  session.progress.clear();
  if (c.quiet) return;
  const store::StoreFile store(c.graph);
  const store::StripePlan plan(store.layout(), paths.size());
  for (std::size_t i = 0; i < paths.size(); ++i)
    print("{}: {}\n", printable(paths[i]), format_bytes(plan.file_bytes(i)));
}

}  // namespace

void add_stripe(CLI::App& program, Session& session) {
  auto* command = program.add_subcommand(
      "stripe", "Deal a graph's pages to several disks, which algorithms then read together");
  auto c = std::make_shared<StripeCommand>();
  add_graph(*command, c->graph);
  add_ssd(*command, c->directories)->required();
  command->add_flag("-q,--quiet", c->quiet, "Print nothing");
  command->footer(
      "Each directory gets one file, named like the graph; the graph stays what it is and is\n"
      "still needed. Give algorithms the same directories in the same order.\n\n"
      "Examples:\n"
      "  fathom stripe graph.fg --ssd /ssd1 /ssd2\n"
      "  fathom pagerank graph.fg --residency stream --ssd /ssd1 /ssd2 --host-memory 4GiB");
  command->callback(
      [c, &session] { session.command = [c, &session] { run_stripe(*c, session); }; });
}

}  // namespace fathom::cli
