// fathom generate: random and regular graphs, the same for a seed on every machine.
#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <memory>

#include "cli/commands/commands.hpp"
#include "cli/commands/stores/shared/layout_options.hpp"
#include "cli/commands/stores/shared/part_output.hpp"
#include "cli/commands/stores/shared/store_output.hpp"
#include "cli/shared/console.hpp"
#include "cli/shared/options.hpp"
#include "cli/shared/ranks/ranks.hpp"
#include "fathom/core/units.hpp"
#include "fathom/exec/ranks/mpi_ranks.hpp"
#include "fathom/residency/parts/generate_parts.hpp"
#include "fathom/store/make/convert.hpp"

namespace fathom::cli {
namespace {

struct GenerateCommand {
  generate::Spec spec;
  std::string kind, weights;
  StoreOutput output;
  LayoutOptions layout;
  bool scale_given = false, directed = false, simple = false, no_in_edges = false;
  int threads = 0;
  std::uint32_t parts = 0;  // 0: one file
  BuildMemory memory;
};

generate::WeightRange parse_weights(const std::string& text) {
  generate::WeightRange range;
  const char* const end = text.data() + text.size();
  const auto min = std::from_chars(text.data(), end, range.min);
  if (min.ec == std::errc{} && min.ptr != end && *min.ptr == ':') {
    const auto max = std::from_chars(min.ptr + 1, end, range.max);
    if (max.ec == std::errc{} && max.ptr == end) return range;
  }
  throw Error(ErrorCode::Usage,
              fmt::format("--weights: expected MIN:MAX, such as 1:255, found '{}'", text));
}

generate::Spec spec_of(const GenerateCommand& c) {
  generate::Spec spec = c.spec;
  spec.kind = generate::kind_named(c.kind).value();
  const bool lattice = spec.kind == generate::Kind::Grid || spec.kind == generate::Kind::Torus;
  if (!lattice && !c.scale_given)
    throw Error(ErrorCode::Usage,
                fmt::format("generate {} needs --scale N: the graph gets 2^N vertices", c.kind));
  if (lattice && c.scale_given)
    throw Error(ErrorCode::Usage,
                fmt::format("generate {} takes --rows and --cols, not --scale", c.kind));
  if (!c.weights.empty()) spec.weights = parse_weights(c.weights);
  return spec;
}

store::ConvertOptions convert_options(const GenerateCommand& c, Session& session) {
  store::ConvertOptions options;
  options.slotted = c.layout.slotted();
  options.packed = c.layout.packed();
  options.narrow = c.layout.narrow;
  options.undirected = !c.directed;
  options.build.undirected = !c.directed;
  options.build.in_edges = !c.no_in_edges;
  options.build.duplicates = c.simple ? graph::Duplicates::Min : graph::Duplicates::Keep;
  options.build.loops = c.simple ? graph::Loops::Drop : graph::Loops::Keep;
  const bool alone = session.group->ranks() == 1;
  options.build.threads = c.threads > 0 || alone ? c.threads : threads_of_rank(*session.group);
  options.build.memory = c.memory.bytes(ranks_on_this_machine(*session.group).ranks);
  options.build.task = session.task(c.output.quiet);
  options.provenance = session.command_line;
  return options;
}

/// Into a directory instead of a file, by all ranks.
void run_generate_parts(const GenerateCommand& c, const generate::Generator& generator,
                        Session& session) {
  const auto start = std::chrono::steady_clock::now();
  const auto parts = generate_parts(generator, c.output.path, c.parts, convert_options(c, session),
                                    *session.group);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  session.progress.clear();
  print_parts(parts, c.output.path, took.count(), c.output.json, c.output.quiet);
}

void run_generate(const GenerateCommand& c, Session& session) {
  const generate::Generator generator(spec_of(c));
  if (c.parts > 0) return run_generate_parts(c, generator, session);
  const auto make = [&] { store::generate(generator, c.output.path, convert_options(c, session)); };
  make_store(c.output, session, make, [&](const store::Header& h, double seconds) {
    return fmt::format("{}: {} vertices, {} edges ({} generated), {}, in {}\n",
                       printable(c.output.path), format_count(h.vertices), format_count(h.edges),
                       format_count(generator.edges()), c.directed ? "directed" : "undirected",
                       format_seconds(seconds));
  });
}

void add_model_options(CLI::App& command, GenerateCommand& c) {
  const std::string group = "What graph";
  command.add_option("kind", c.kind, "Which model; rmat makes Graph500's Kronecker graphs")
      ->type_name("KIND")
      ->check(CLI::IsMember({"rmat", "uniform", "grid", "torus", "preferential-attachment",
                             "watts-strogatz", "road", "random-geometric", "triangulation",
                             "stencil", "coauthors"}))
      ->required();
  command.add_option("--scale", c.spec.scale, "2^N vertices (not for grid and torus)")
      ->type_name("N")
      ->check(CLI::Range(0, 63))
      ->group(group);
  command.add_option("--edge-factor", c.spec.edge_factor, "Generated edges per vertex")
      ->type_name("K")
      ->capture_default_str()
      ->group(group);
  command.add_option("--rows", c.spec.rows, "Rows of a grid or torus")
      ->type_name("N")
      ->group(group);
  command.add_option("--cols", c.spec.columns, "Columns of a grid or torus")
      ->type_name("N")
      ->group(group);
  command
      .add_option("--per-point", c.spec.per_point, "Vertices of each point of a stencil, 1 to 64")
      ->type_name("N")
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--rewire", c.spec.rewire,
                  "Probability that an edge of a watts-strogatz graph gets a random end")
      ->type_name("P")
      ->capture_default_str()
      ->group(group);
  command.add_option("--seed", c.spec.seed, "The same seed gives the same graph everywhere")
      ->type_name("S")
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--weights", c.weights,
                  "Integer weights from MIN to MAX, the same in both directions of an edge")
      ->type_name("MIN:MAX")
      ->group(group);
  command.add_flag("--directed", c.directed, "Edges one way only (default: both ways)")
      ->group(group);
  command
      .add_flag("--simple", c.simple, "Drop self-loops and duplicate edges (default: keep them)")
      ->group(group);
}

}  // namespace

void add_generate(CLI::App& program, Session& session) {
  auto* command = program.add_subcommand("generate", "Make a random or regular graph");
  auto c = std::make_shared<GenerateCommand>();
  add_model_options(*command, *c);
  command->add_option("-o,--output", c->output.path, "The graph to write")
      ->type_name("OUT.fg")
      ->required();
  command
      ->add_option(
          "--parts", c->parts,
          "Write so many parts for ranks, as `fathom partition` makes them, into the "
          "directory OUT instead: no file ever holds the whole graph. Under mpirun ranks write "
          "some of them each, in their own memory")
      ->type_name("N")
      ->check(CLI::Range(1u, store::kMostParts));
  command->add_flag("--no-in-edges", c->no_in_edges,
                    "Do not store in-edges of a directed graph; algorithms then push");
  add_layout_options(*command, c->layout);
  c->memory.add_to(*command, "Bound on the memory used");
  add_threads(*command, c->threads);
  command->add_flag("--json", c->output.json, "Print what `fathom info --json` would");
  command->add_flag("-q,--quiet", c->output.quiet, "Print nothing");
  command->footer(
      "The same seed gives the same graph whatever the threads and the memory.\n\n"
      "Examples:\n"
      "  fathom generate rmat --scale 20 -o kron20.fg\n"
      "  fathom generate uniform --scale 16 --edge-factor 8 --directed --weights 1:255 -o u.fg\n"
      "  fathom generate grid --rows 1000 --cols 1000 -o grid.fg\n"
      "  fathom generate rmat --scale 24 --parts 4 -o parts\n"
      "  mpirun -n 4 fathom generate rmat --scale 28 --parts 4 -o parts\n"
      "  fathom generate stencil --scale 18 --per-point 3 -o fem.fg");
  command->callback([c, command, &session] {
    c->scale_given = command->count("--scale") > 0;
    session.on_all_ranks = c->parts > 0;
    session.command = [c, &session] { run_generate(*c, session); };
  });
}

}  // namespace fathom::cli
