// fathom bench halo: the experiments of HALO (Gera et al., PVLDB 13(7), 2020, sections 6 and 10) on
// the executor it is given: breadth-first searches of the same graphs in several orders.
#include "bench/papers/halo/halo.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "bench/papers/benchmarks.hpp"
#include "cli/shared/console.hpp"
#include "fathom/core/error.hpp"

namespace fathom::cli {
namespace halo {
namespace {

const std::vector<std::string> kParts{"single", "multi", "samples", "scaling", "advice"};

/// Decides on the device once, and on what it has.
std::string settle(Command& c, const Task& task) {
  constexpr EdgeId kLarge = EdgeId{1} << 40;  // worth a GPU
  ExecutionOptions probe = c.execution;
  for (const std::string& residency : c.residencies)
    if (residency == "managed" || residency == "zerocopy") probe.residency = residency;
  const Context context = make_context(probe, kLarge, task);
  if (!context.on_gpu()) c.execution.device = "cpu";
  if (context.on_gpu() && c.execution.device == "auto") c.execution.device = "cuda";
  if (context.on_gpu() && context.devices().size() > 1)
    throw Error(ErrorCode::Usage, "bench halo measures one GPU, not " + c.execution.device);
  if (!c.on_gpu() && !c.parts.empty() && c.wants("advice"))
    throw Error(ErrorCode::Device, "the part advice is of unified memory: it needs a GPU");
  if (c.residencies.empty())
    c.residencies = c.on_gpu()
                        ? std::vector<std::string>{"managed", "zerocopy", "stream", "resident"}
                        : std::vector<std::string>{"resident", "stream"};
  if (c.parts.empty()) {
    c.parts = kParts;
    if (!c.on_gpu()) std::erase(c.parts, "advice");
    if (c.scales.empty()) std::erase(c.parts, "scaling");
  }
  c.execution.threads = context.threads();
  return context.device_name();
}

void check_command(Command& c) {
  const bool graphs = !c.graphs.empty() || !c.kinds.empty();
  const bool scaling = !c.scales.empty();
  if (!c.parts.empty() && c.wants("scaling") != scaling)
    throw Error(ErrorCode::Usage, scaling ? "--scales has no effect without the part scaling"
                                          : "the part scaling needs --scales N...");
  const bool scaling_alone = c.parts.size() == 1 && scaling;
  if (!graphs && !scaling)
    throw Error(ErrorCode::Usage, "bench halo needs graphs, --kinds or --scales");
  if (!graphs && !scaling_alone) {
    if (!c.parts.empty())
      throw Error(ErrorCode::Usage, "parts other than scaling need graphs or --kinds");
    c.parts = {"scaling"};
  }
  if (graphs && scaling_alone)
    throw Error(ErrorCode::Usage, "the part scaling makes its graphs: others have no effect");
  // All others are held against it.
  std::erase(c.methods, "natural");
  c.methods.insert(c.methods.begin(), "natural");
}

/// What the command was asked for.
Json settings_json(const Command& c, const std::string& device) {
  return {{"schema", "fathom.bench.halo/1"},
          {"device", device},
          {"threads", c.execution.threads},
          {"direction", c.direction == Direction::Push ? "push" : "auto"},
          {"sources", c.sources},
          {"together", std::min(c.together, c.sources)},
          {"trials", c.trials},
          {"order_samples", c.order.samples},
          {"by_component", c.order.by_component},
          {"seed", c.seed},
          {"cache_share", c.cache},
          {"page_bytes", c.page_bytes},
          {"verified", c.verify}};
}

void describe(const Subject& subject, Json& report) {
  report["graphs"].push_back({{"graph", subject.name},
                              {"form", subject.form},
                              {"vertices", subject.vertices},
                              {"edges", subject.edges},
                              {"edge_bytes", subject.edges * sizeof(VertexId)},
                              {"store_bytes", subject.store_bytes}});
}

using RunPart = void (*)(const Command&, Subject&, const Scratch&, Session&, Json&);

/// Runs parts on a graph in the forms asked for.
void run_forms(const Command& c, const Wanted& wanted, const std::vector<RunPart>& parts,
               Session& session, Json& report) {
  const Scratch scratch(c.work);
  const auto run = [&](Subject& subject) {
    describe(subject, report);
    for (const RunPart part : parts) part(c, subject, scratch, session, report);
  };
  const auto asked = [&](const char* form) {
    return std::find(c.forms.begin(), c.forms.end(), form) != c.forms.end();
  };
  Subject first = first_subject(c, wanted, scratch, session);
  if (first.form == "undirected" || asked("directed")) run(first);
  if (first.form == "undirected" || !asked("symmetrized")) return;
  Subject second = symmetrized(c, first, scratch, session);
  run(second);
}

std::vector<RunPart> parts_of_graphs(const Command& c) {
  std::vector<RunPart> parts;
  if (c.wants("single") || c.wants("multi")) parts.push_back(orders_part);
  if (c.wants("samples")) parts.push_back(samples_part);
  if (c.wants("advice")) parts.push_back(advice_part);
  return parts;
}

void run_halo(Command& c, Session& session) {
  check_writable(c.save);
  check_command(c);
  const std::vector<Wanted> graphs = wanted_graphs(c);
  for (const std::string& path : c.graphs) store::Store::open(path);  // fails now, not in an hour
  Json report = settings_json(c, settle(c, session.task(c.quiet || c.json)));
  report["graphs"] = Json::array();
  const Json tables{{"rows", Json::array()}, {"means", Json::array()}};
  for (const char* part : {"single", "multi", "scaling"})
    report[part] = c.wants(part) ? tables : Json(nullptr);
  for (const char* part : {"samples", "advice"})
    report[part] = c.wants(part) ? Json(Json::array()) : Json(nullptr);
  report["left_out"] = Json::array();
  for (const Wanted& wanted : graphs) run_forms(c, wanted, parts_of_graphs(c), session, report);
  if (c.wants("scaling"))
    for (const int scale : c.scales)
      run_forms(c, kronecker(c, scale), {scaling_part}, session, report);
  for (const auto& [part, figure] : {std::pair{"single", "6"}, {"multi", "7"}, {"scaling", "12"}})
    if (!report[part].is_null()) report[part]["means"] = means_of(report[part]["rows"], figure);
  report["paper"] = paper_json();
  session.progress.clear();
  write_out(c.json ? to_text(report) : text_of(report));
  if (!c.save.empty()) write_json(c.save, report);
}

void add_graph_options(CLI::App& command, Command& c) {
  command.add_option("graphs", c.graphs, "Stored graphs (.fg), in their natural order")
      ->type_name("G.fg");
  command.add_option("--kinds", c.kinds, "Also generate directed graphs")
      ->type_name("KIND")
      ->check(CLI::IsMember({"kron", "uniform", "grid", "pa"}));
  command.add_option("--scale", c.scale, "Of 2^N vertices")
      ->type_name("N")
      ->check(CLI::Range(1, 40))
      ->capture_default_str();
  command.add_option("--edge-factor", c.edge_factor, "Edges per vertex (not of grids)")
      ->type_name("K")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  command.add_option("--scales", c.scales, "Kronecker graphs of 2^N vertices for the part scaling")
      ->type_name("N")
      ->check(CLI::Range(1, 40));
  command.add_option("--seed", c.seed, "Which generated graphs, and which sources")
      ->type_name("S")
      ->capture_default_str();
  command
      .add_option("--forms", c.forms,
                  "Directed graphs as they are (directed), with every edge both ways "
                  "(symmetrized), or, by default, both")
      ->type_name("FORM")
      ->check(CLI::IsMember({"directed", "symmetrized"}));
  command
      .add_option("--work", c.work, "Directory for graphs in other orders; nothing is left there")
      ->type_name("DIR")
      ->required();
}

void add_search_options(CLI::App& command, Command& c) {
  command.add_option("--parts", c.parts, "What to redo (default: all that there is here)")
      ->type_name("PART")
      ->check(CLI::IsMember(kParts));
  add_order_options(command, c.methods, c.order);
  command
      .add_option("--residencies", c.residencies,
                  "Where the edges are: managed, zerocopy, stream and resident on a GPU, resident "
                  "and stream (to an emulated device) on the cpu")
      ->type_name("R")
      ->check(CLI::IsMember({"managed", "zerocopy", "stream", "resident"}));
  command.add_option("--sources", c.sources, "Random vertices with edges to search from")
      ->type_name("N")
      ->check(CLI::Range(1, 1 << 20))
      ->capture_default_str();
  command.add_option("--together", c.together, "Of them, searched from at once in the part multi")
      ->type_name("N")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  command.add_option("--trials", c.trials, "Times of a search are medians of so many runs")
      ->type_name("N")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command.add_option("--sample-counts", c.sample_counts, "Of the part samples (default 2 to 256)")
      ->type_name("K")
      ->check(CLI::Range(VertexId{2}, kNoVertex - 1));
  command.add_option("--cache", c.cache, "What share of streamed edges has frames on the device")
      ->type_name("SHARE")
      ->check(CLI::Range(0., 1.))
      ->capture_default_str();
  add_size(command, "--page-size", c.page_bytes, "Of streamed edges (default 64KiB)");
  command
      .add_option_function<std::string>(
          "--direction",
          [&c](const std::string& name) {
            c.direction = name == "auto" ? Direction::Auto : Direction::Push;
          },
          "Follow out-edges (push, the default, as the paper does) or also look back (auto)")
      ->check(CLI::IsMember({"push", "auto"}));
}

}  // namespace

bool Command::wants(const std::string& part) const {
  return std::find(parts.begin(), parts.end(), part) != parts.end();
}

}  // namespace halo

void add_bench_halo(CLI::App& bench, Session& session) {
  auto* command = bench.add_subcommand(
      "halo", "Searches in several orders and residencies (HALO, Figures 1 to 13)");
  auto c = std::make_shared<halo::Command>();
  halo::add_graph_options(*command, *c);
  halo::add_search_options(*command, *c);
  add_device_options(*command, c->execution);
  command->add_flag("--verify", c->verify, "Check the searches in natural order by certificate");
  command->add_option("--save", c->save, "Also write the JSON object to a file")
      ->type_name("FILE.json");
  command->add_flag("--json", c->json, "Print one JSON object instead of tables");
  command->add_flag("-q,--quiet", c->quiet, "No progress");
  command->footer(
      "Parts: single (searches from one source: Figures 1, 6, 9, 10), multi (from several at "
      "once: 7),\n"
      "samples (of HALO-II, in the first residency: 11), scaling (12), advice (of unified memory: "
      "3b, 13).\n"
      "Depths in every order must be those in natural order.\n\n"
      "Examples:\n"
      "  fathom bench halo --work /tmp --kinds kron uniform --scale 14 --residencies stream\n"
      "  fathom bench halo packages.fg --work /tmp --parts single --methods halo2 rcm --json\n"
      "  fathom bench halo --work /ssd --scales 18 20 22 --device cuda");
  command->callback(
      [c, &session] { session.command = [c, &session] { halo::run_halo(*c, session); }; });
}

}  // namespace fathom::cli
