// fathom reorder: the same graph with its vertices in an order that suits traversals.
#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <optional>

#include "cli/commands/commands.hpp"
#include "cli/commands/stores/shared/store_output.hpp"
#include "cli/shared/console.hpp"
#include "cli/shared/loaded_graph.hpp"
#include "cli/shared/report_json.hpp"
#include "fathom/core/units.hpp"
#include "fathom/io/result_writer.hpp"
#include "fathom/reorder/choose_order.hpp"
#include "fathom/store/make/permute.hpp"

namespace fathom::cli {
namespace {

constexpr const char kAutoMethod[] = "auto";

struct ReorderCommand {
  std::string graph, method = "halo2", permutation;
  StoreOutput output;
  reorder::Options options;
  ExecutionOptions execution;
  bool pack = false;
};

std::vector<std::string> methods_and_auto() {
  std::vector<std::string> names = reorder::method_names();
  names.emplace_back(kAutoMethod);
  return names;
}

void write_positions(const std::string& path, const LoadedGraph& graph,
                     const reorder::Permutation& order, const Task& task) {
  const auto label = [&](std::size_t v, std::string& out) {
    out += graph.label(static_cast<VertexId>(v));
  };
  const std::vector<io::ResultColumn> columns{{"position", order.positions()}};
  io::write_results(path, order.size(), label, columns, task, graph.rows().vertex.span());
}

/// What was found, and how: a sentence about the bits of packed lists where these decided.
struct FoundOrder {
  reorder::Permutation order;
  std::string method, saved;
};

FoundOrder choose_method(const ReorderCommand& c, const LoadedGraph& graph) {
  if (c.method != kAutoMethod)
    return {make_order(graph.context(), graph.graph(), c.options), c.method, ""};
  reorder::Choice chosen = choose_order(graph.context(), graph.graph(), c.options);
  const std::string saved = fmt::format("; packed, an id takes {:.2f} bits in it, {:.2f} before",
                                        chosen.bits, chosen.natural_bits);
  return {std::move(chosen.order), std::string(reorder::name_of(chosen.method)), saved};
}

/// Finds the order; the graph is closed again before it is written.
FoundOrder find_order(const ReorderCommand& c, const Task& task) {
  const LoadedGraph graph(c.graph, c.execution, task);
  store::check_permute_memory(graph.graph().vertices(), c.execution.host_memory);
  FoundOrder found = choose_method(c, graph);
  const reorder::Permutation& order = found.order;
  if (!c.permutation.empty()) write_positions(c.permutation, graph, order, task);
  if (graph.trace()) write_text(c.execution.trace, graph.trace()->json());
  return found;
}

void check_options(const ReorderCommand& c, const CLI::App& command) {
  using reorder::Method;
  const Method m = c.options.method;
  const bool samples =
      m == Method::Halo1 || m == Method::Halo2 || m == Method::Halo2Rk || m == Method::BfsBp;
  const bool chooses = c.method == kAutoMethod;
  const auto refuse = [&](const char* name, bool has_effect) {
    if (!has_effect && command.get_option(name)->count() > 0)
      throw Error(ErrorCode::Usage,
                  fmt::format("{} has no effect with --method {}", name, c.method));
  };
  refuse("--samples", !chooses && samples);
  refuse("--seed", !chooses && (samples || m == Method::Random));
  check_writable(c.execution.trace);
  refuse("--by-component", chooses || m != Method::Rcm);
  if (c.permutation.empty()) return;
  if (io::result_kind(c.permutation) == io::ResultKind::Npy)
    throw Error(ErrorCode::Usage,
                "--permutation writes labels, which .npy has not: use .tsv or .csv");
  check_writable(c.permutation);
}

void run_reorder(ReorderCommand& c, const CLI::App& command, Session& session) {
  if (c.method != kAutoMethod) c.options.method = *reorder::method_of(c.method);
  check_options(c, command);
  const Task task = session.task(c.output.quiet);
  double ordered = 0;
  std::string method, saved;
  const auto make = [&] {
    const auto start = std::chrono::steady_clock::now();
    const FoundOrder found = find_order(c, task);
    method = found.method;
    saved = found.saved;
    ordered = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    store::PermuteOptions options;
    options.memory = c.execution.host_memory;
    options.threads = c.execution.threads;
    options.packed = c.pack;
    options.provenance = session.command_line;
    options.task = task;
    store::permute(c.graph, c.output.path, found.order.positions(), options);
  };
  make_store(c.output, session, make, [&](const store::Header& h, double seconds) {
    return fmt::format("{}: {} vertices, {} edges, order {}{}, found in {}, written in {}{}\n",
                       printable(c.output.path), format_count(h.vertices), format_count(h.edges),
                       method, c.options.by_component ? " by component" : "",
                       format_seconds(ordered), format_seconds(seconds - ordered), saved);
  });
}

}  // namespace

void add_reorder(CLI::App& program, Session& session) {
  auto* command = program.add_subcommand(
      "reorder", "Order the vertices so that what a traversal reads lies together (HALO)");
  auto c = std::make_shared<ReorderCommand>();
  add_graph(*command, c->graph);
  command->add_option("--method", c->method, "How")
      ->type_name("METHOD")
      ->check(CLI::IsMember(methods_and_auto()))
      ->capture_default_str();
  command->add_option("-o,--output", c->output.path, "The graph to write")
      ->type_name("OUT.fg")
      ->required();
  command
      ->add_option("--samples", c->options.samples,
                   "Searches that HALO and BFS-BP sample, each from a random vertex")
      ->type_name("K")
      ->check(CLI::Range(VertexId{2}, kNoVertex - 1))
      ->capture_default_str();
  command->add_option("--seed", c->options.seed, "Which random vertices, or which random order")
      ->type_name("S")
      ->capture_default_str();
  command->add_flag("--by-component", c->options.by_component,
                    "Weak components one after the other, the largest first");
  command
      ->add_option("--permutation", c->permutation,
                   "Also write a table of each vertex's label and new position (.tsv or .csv)")
      ->type_name("FILE");
  command->add_flag("--pack", c->pack,
                    "Pack the lists, as `convert --pack` does; packed ones stay so in any case");
  command->add_flag("--json", c->output.json, "Print what `fathom info --json` would");
  command->add_flag("-q,--quiet", c->output.quiet, "Print nothing");
  add_execution_options(*command, c->execution);
  command->footer(
      "Methods: natural; random; degree (in-degree, the largest first); indegree-neighbors (the\n"
      "same, each followed by its neighbours); degree-neighbors (in-degree, equal ones in that\n"
      "order); halo1 (sampled harmonic centrality); halo2 (the same, each followed by its\n"
      "neighbours); halo2-rk (these by centrality too).\n"
      "Others: rcm (reverse Cuthill-McKee without directions, by component); bp (recursive\n"
      "bisection: neighbours together); bfs-bp (the same: levels of sampled searches together);\n"
      "auto (degree, degree-neighbors or bp, whichever has lists pack into fewest bits, or "
      "natural\n"
      "if none does).\n"
      "Results for the new graph are those for the old one: same labels, same order of lines.\n"
      "Only random samples differ. A reordered graph can be reordered again.\n\n"
      "Examples:\n"
      "  fathom reorder web.fg --method halo2 -o web-halo.fg\n"
      "  fathom reorder web.fg --method halo2-rk --samples 32 --by-component -o ordered.fg\n"
      "  fathom reorder huge.fg --method auto --pack -o packed.fg\n"
      "  fathom reorder huge.fg --residency stream --host-memory 4GiB -o ordered.fg");
  command->callback([c, command, &session] {
    session.command = [c, command, &session] { run_reorder(*c, *command, session); };
  });
}

}  // namespace fathom::cli
