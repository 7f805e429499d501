// fathom convert: graphs in any of the known formats to one .fg file, and back.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>

#include "cli/commands/commands.hpp"
#include "cli/commands/stores/shared/graph_export.hpp"
#include "cli/commands/stores/shared/layout_options.hpp"
#include "cli/commands/stores/shared/store_output.hpp"
#include "cli/commands/stores/shared/store_summary.hpp"
#include "cli/shared/console.hpp"
#include "cli/shared/options.hpp"
#include "fathom/core/printable.hpp"
#include "fathom/core/units.hpp"
#include "fathom/dynamic/updates/update_records.hpp"
#include "fathom/store/make/convert.hpp"

namespace fathom::cli {
namespace {

struct ConvertCommand {
  std::vector<std::string> inputs;
  StoreOutput output;
  store::ConvertOptions options;
  LayoutOptions layout;
  std::string to;  // empty: as the output is named
  BuildMemory memory;
  int threads = 0;
};

const char kReading[] = "How the input is read";
const char kPolicies[] = "What graph comes of it";
const char kStoring[] = "What is stored";

/// Refuses the options of these groups that were given. `why` completes "--labels has no effect".
void refuse_groups(const CLI::App& command, std::initializer_list<std::string_view> groups,
                   const std::string& why) {
  for (const CLI::Option* option : command.get_options())
    if (option->count() > 0 &&
        std::find(groups.begin(), groups.end(), option->get_group()) != groups.end())
      throw Error(ErrorCode::Usage, fmt::format("{} has no effect {}", option->get_name(), why));
}

/// The lists of a .fg file stay what they are: options that would make others have no effect.
void refuse_without_effect(const CLI::App& command, const std::string& input) {
  refuse_groups(command, {kReading, kPolicies},
                fmt::format("on a .fg file, which {} is", printable(input)));
}

/// Other formats hold lists as they are; only .fg files have the rest.
void refuse_without_store(const ConvertCommand& c, const CLI::App& command) {
  const std::string why = fmt::format("on {}, which is no .fg file", printable(c.output.path));
  refuse_groups(command, {kStoring, kLayoutGroup}, why);
  if (c.output.json) throw Error(ErrorCode::Usage, "--json has no effect " + why);
}

bool are_records(const std::string& output) {
  return output.ends_with(".fgu");
}

/// Lines of updates become binary ones.
void run_updates(const ConvertCommand& c, const CLI::App& command, Session& session) {
  refuse_groups(command, {kReading, kPolicies, kStoring, kLayoutGroup},
                fmt::format("on {}, which is updates", printable(c.output.path)));
  if (!c.to.empty() || c.output.json)
    throw Error(ErrorCode::Usage,
                fmt::format("{} has no effect on {}, which is updates",
                            c.to.empty() ? "--json" : "--to", printable(c.output.path)));
  if (c.inputs.size() != 1)
    throw Error(ErrorCode::Usage, "updates come from one file, as their order counts");
  check_writable(c.output.path);
  const auto start = std::chrono::steady_clock::now();
  const std::uint64_t updates =
      dynamic::write_records(c.inputs[0], c.output.path, session.task(c.output.quiet));
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  session.progress.clear();
  if (!c.output.quiet)
    write_out(fmt::format("{}: {} updates, in {}\n", printable(c.output.path),
                          format_count(updates), format_seconds(seconds)));
}

void run_convert(const ConvertCommand& c, const CLI::App& command, Session& session) {
  if (are_records(c.output.path)) return run_updates(c, command, session);
  if (c.inputs.size() == 1 && store::is_store(c.inputs[0]))
    refuse_without_effect(command, c.inputs[0]);
  store::ConvertOptions options = c.options;
  options.slotted = c.layout.slotted();
  options.packed = c.layout.packed();
  options.narrow = c.layout.narrow;
  options.build.memory = c.memory.bytes();
  options.read.threads = options.build.threads = c.threads;
  options.read.task = options.build.task = session.task(c.output.quiet);
  options.provenance = session.command_line;
  if (const auto file = exported_as(c.output.path, c.to)) {
    refuse_without_store(c, command);
    return run_export({c.inputs, c.output.path, *file, options, c.output.quiet}, session);
  }
  const auto summary = [&](const store::Header& h, double seconds) {
    return fmt::format("{}: {} vertices, {} edges, {}, {}, in {}\n", printable(c.output.path),
                       format_count(h.vertices), format_count(h.edges),
                       h.directed ? "directed" : "undirected",
                       h.weighted ? "weighted" : "unweighted", format_seconds(seconds)) +
           repairs_of(h);
  };
  make_store(
      c.output, session, [&] { store::convert(c.inputs, c.output.path, options); }, summary);
}

/// An option whose value is one of a few names, each standing for a value of an enumeration.
template <class T>
CLI::Option* add_choice(CLI::App& command, const std::string& name, T& target,
                        const std::vector<std::pair<std::string, T>>& values,
                        const std::string& description) {
  std::vector<std::string> names;
  names.reserve(values.size());
  for (const auto& value : values) names.push_back(value.first);
  const std::map<std::string, T> by_name(values.begin(), values.end());
  return command
      .add_option_function<std::string>(
          name, [&target, by_name](const std::string& chosen) { target = by_name.at(chosen); },
          description)
      ->check(CLI::IsMember(names));
}

void add_reading_options(CLI::App& command, io::ReadOptions& read) {
  using io::Format;
  using io::LabelMode;
  using io::ThirdColumn;
  const std::string group = kReading;
  std::vector<std::pair<std::string, Format>> formats;
  for (const Format format :
       {Format::Auto, Format::EdgeList, Format::MatrixMarket, Format::Dimacs, Format::Metis,
        Format::Gap, Format::Galois, Format::Graphalytics, Format::Npz})
    formats.emplace_back(io::name_of(format), format);
  add_choice(command, "--format", read.format, formats,
             "What the input is (default auto: told by its content, never by its name)")
      ->group(group);
  add_choice(
      command, "--labels", read.labels,
      {{"auto", LabelMode::Auto}, {"none", LabelMode::None}, {"strings", LabelMode::Strings}},
      "What names the vertices: integers (none), strings, or integers where all are (auto, "
      "the default)")
      ->group(group);
  add_choice(command, "--third-column", read.third_column,
             {{"auto", ThirdColumn::Auto},
              {"weight", ThirdColumn::Weight},
              {"timestamp", ThirdColumn::Timestamp},
              {"ignore", ThirdColumn::Ignore}},
             "What a third column of an edge list means (default auto: refused where in doubt)")
      ->group(group);
  auto* header = command.add_flag_callback(
      "--header", [&read] { read.header = true; },
      "The first line of an edge list names its columns (default: look at it)");
  header->group(group);
  command
      .add_flag_callback(
          "--no-header", [&read] { read.header = false; }, "The first line is an edge")
      ->excludes(header)
      ->group(group);
}

void add_policy_options(CLI::App& command, ConvertCommand& c) {
  using graph::Duplicates;
  using graph::Loops;
  const std::string group = kPolicies;
  auto* directed = command.add_flag_callback(
      "--directed", [&c] { c.options.undirected = false; },
      "Edges go one way (default, unless the file says otherwise)");
  directed->group(group);
  command
      .add_flag_callback(
          "--undirected", [&c] { c.options.undirected = true; }, "Every edge goes both ways")
      ->excludes(directed)
      ->group(group);
  add_choice(command, "--duplicates", c.options.build.duplicates,
             {{"min", Duplicates::Min},
              {"max", Duplicates::Max},
              {"sum", Duplicates::Sum},
              {"first", Duplicates::First},
              {"keep", Duplicates::Keep}},
             "Several edges between the same vertices: which weight the merged one gets, or keep "
             "them all (default min)")
      ->group(group);
  add_choice(command, "--loops", c.options.build.loops,
             {{"keep", Loops::Keep}, {"drop", Loops::Drop}},
             "Edges from a vertex to itself (default keep)")
      ->group(group);
}

void add_storing_options(CLI::App& command, ConvertCommand& c) {
  const std::string group = kStoring;
  command
      .add_flag_callback(
          "--no-in-edges", [&c] { c.options.build.in_edges = false; },
          "Do not store in-edges of a directed graph; algorithms then push, with the same results")
      ->group(group);
  command
      .add_flag("--interleave-weights", c.options.interleave_weights,
                "Also store targets and weights side by side, which speeds sssp up")
      ->group(group);
  command
      .add_flag("--triangle-lists", c.options.triangle_lists,
                "Also store the lists that tc would build")
      ->group(group);
}

}  // namespace

void add_convert(CLI::App& program, Session& session) {
  auto* command = program.add_subcommand(
      "convert", "Turn edge lists, Matrix Market and other files into a .fg file, and back");
  auto c = std::make_shared<ConvertCommand>();
  command
      ->add_option(
          "input", c->inputs,
          "Files that together are one graph, plain, gzip or zstd, - for standard input; a "
          "Graphalytics .v and .e go together; or one .fg file, which gets another layout "
          "or format")
      ->type_name("INPUT FILE")
      ->required();
  command->add_option("-o,--output", c->output.path, "The graph to write")
      ->type_name("OUT")
      ->required();
  std::vector<std::string> formats{"fg"};
  formats.insert(formats.end(), store::kGraphFormats.begin(), store::kGraphFormats.end());
  command
      ->add_option(
          "--to", c->to,
          "What to write (default: as the output's name ends, before .gz or .zst; else fg)")
      ->type_name("FORMAT")
      ->check(CLI::IsMember(formats));
  add_reading_options(*command, c->options.read);
  add_policy_options(*command, *c);
  add_storing_options(*command, *c);
  add_layout_options(*command, c->layout);
  c->memory.add_to(*command, "Bound on the memory used; larger graphs are sorted in $TMPDIR");
  add_threads(*command, c->threads);
  command->add_flag("--json", c->output.json, "Print what `fathom info --json` would");
  command->add_flag("-q,--quiet", c->output.quiet, "Print nothing");
  command->footer(
      "Formats: edge lists with spaces, tabs or commas (SNAP, KONECT, CSV), Matrix Market,\n"
      "DIMACS 9, METIS, GAP .sg/.wsg, Galois .gr, Graphalytics, SciPy .npz.\n"
      "Results always name vertices as the input does.\n"
      "Written are .tsv and .csv (edge lists), .mtx, .npz, .sg and .wsg, each also .gz or .zst.\n"
      "An output named .fgu gets lines of updates as `fathom stream` takes them, in binary.\n\n"
      "Examples:\n"
      "  fathom convert edges.tsv.gz -o graph.fg --undirected\n"
      "  fathom convert packages.tsv -o packages.fg --labels strings\n"
      "  fathom convert roads.mtx -o roads.fg --memory 1GiB\n"
      "  xzcat web.tsv.xz | fathom convert - -o web.fg\n"
      "  fathom convert graph.fg -o pages.fg --layout slotted --page-size 4MiB\n"
      "  fathom convert graph.fg -o packed.fg --pack\n"
      "  fathom convert graph.fg -o narrow.fg --narrow\n"
      "  fathom convert graph.fg -o edges.csv.zst\n"
      "  fathom convert day.txt -o day.fgu");
  command->callback([c, command, &session] {
    session.command = [c, command, &session] { run_convert(*c, *command, session); };
  });
}

}  // namespace fathom::cli
