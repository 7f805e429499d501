// fathom plan: what would go where and how long it would take, without running anything.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "cli/commands/algorithms/shared/described_options.hpp"
#include "cli/commands/commands.hpp"
#include "cli/machine/probes.hpp"
#include "cli/shared/console.hpp"
#include "cli/shared/loaded_graph.hpp"
#include "cli/shared/plan_text.hpp"
#include "cli/shared/report_json.hpp"
#include "fathom/algorithms/bfs/bfs.hpp"
#include "fathom/core/units.hpp"
#include "fathom/plan/predict.hpp"

namespace fathom::cli {
namespace {

using plan::Machine;

/// The options that plans depend on, of all algorithms: one of each name.
struct WorkOptions {
  WorkOptions();

  /// What was given, for one algorithm. @throws Error(Usage) for what changes nothing there.
  OptionValues of(const Algorithm& algorithm) const;

  std::vector<OptionInfo> infos;
  std::vector<std::vector<std::string_view>> takers;  // the algorithms that each is of
  OptionValues values{{}};
  std::vector<CLI::Option*> on_line;
};

WorkOptions::WorkOptions() {
  for (const Algorithm* const algorithm : described_algorithms())
    for (const OptionInfo& info : algorithm->options) {
      if (!info.planned) continue;
      auto at = static_cast<std::size_t>(std::ranges::find(infos, info.name, &OptionInfo::name) -
                                         infos.begin());
      if (at == infos.size()) {
        infos.push_back(info);
        infos.back().excludes = {};
        infos.back().shows_default = false;  // others may have another
        takers.emplace_back();
      }
      takers[at].push_back(algorithm->name);
    }
  values = OptionValues(infos);
}

OptionValues WorkOptions::of(const Algorithm& algorithm) const {
  OptionValues its(algorithm.options);
  for (std::size_t i = 0; i < infos.size(); ++i) {
    if (on_line[i]->count() == 0) continue;
    if (std::ranges::find(takers[i], algorithm.name) == takers[i].end())
      throw Error(ErrorCode::Usage,
                  fmt::format("--{} has no effect on a plan of {}; those of {} take it",
                              infos[i].name, algorithm.name, fmt::join(takers[i], ", ")));
    its.set_as_in(values, infos[i].name);
  }
  return its;
}

struct PlanCommand {
  std::string algorithm, graph, kind, link;
  generate::Spec spec;
  bool directed = false, weights = false, pilot = false, json = false;
  ExecutionOptions execution;
  WorkOptions work;
};

plan::GraphShape shape_of(const PlanCommand& c) {
  if (c.graph.empty() == c.kind.empty())
    throw Error(ErrorCode::Usage, "plan needs a graph: either G.fg, or --kind and --scale");
  if (!c.graph.empty()) return plan::shape_of(*store::Store::open(c.graph));
  generate::Spec spec = c.spec;
  spec.kind = generate::kind_named(c.kind).value();
  if (c.weights) spec.weights = generate::WeightRange{};
  return plan::shape_of(spec, c.directed);
}

std::uint64_t limit_of(std::size_t bytes) {
  return bytes == MemoryPool::kUnlimited ? plan::kNoLimit : bytes;
}

/// What the options ask for, if it is something that several devices share out.
void set_strategy(plan::PlanRequest& request, const ExecutionOptions& o) {
  const bool in_chunks = request.machine.executor == Machine::Executor::Gpu && o.strategy == "s";
  const bool dealt = request.machine.executor == Machine::Executor::EmulatedDevices ||
                     request.machine.devices > 1 || in_chunks;
  if (o.strategy != "auto" && !dealt)
    throw Error(ErrorCode::Usage,
                "--strategy has no effect without --devices or --device cuda:N,N,...: nothing is "
                "shared out");
  if (o.chunks > 0 && o.strategy != "s")
    throw Error(ErrorCode::Usage, "--chunks has no effect without --strategy s");
  request.strategy = strategy_named(o.strategy);
  request.chunks = o.chunks;
}

/// This machine, or with --link GPUs that need not be in it.
Machine machine_of(const PlanCommand& c, const Context* here) {
  Machine m;
  m.host_memory = limit_of(c.execution.host_memory);
  m.device_memory = limit_of(c.execution.device_memory);
  if (!here) {
    if (m.device_memory == plan::kNoLimit)
      throw Error(ErrorCode::Usage,
                  "--link plans for another GPU, whose --device-memory must be "
                  "given");
    m.executor = Machine::Executor::Gpu;
    m.devices = std::max(1, c.execution.devices);
    return m;
  }
  m.threads = here->threads();
  // A budget that was given stands for a machine that has it.
  m.physical_memory = m.host_memory == plan::kNoLimit ? available_memory() : plan::kNoLimit;
  if (here->on_gpu()) {
    m.executor = Machine::Executor::Gpu;
    m.devices = static_cast<int>(here->devices().size());
    m.device_memory = here->devices()[0].memory()->available();
    for (const Device& device : here->devices())
      m.device_memory = std::min<std::uint64_t>(m.device_memory, device.memory()->available());
  } else if (here->separate()) {
    m.executor = Machine::Executor::EmulatedDevices;
    m.devices = static_cast<int>(here->devices().size());
  }
  return m;
}

/// A search from a vertex of the file, within the same limits.
plan::Pilot run_pilot(const PlanCommand& c, const plan::Plan& planned, const Task& task) {
  ExecutionOptions execution = c.execution;
  if (planned.residency == ResidencyOptions::Kind::Stream && c.execution.devices == 0)
    execution.residency = "stream";
  const LoadedGraph loaded(c.graph, execution, task);
  const VertexId source =
      plan::longest_list(loaded.store().out_offsets(loaded.context().threads()));
  const BfsResult search = bfs(loaded.context(), loaded.graph(), std::array{source});
  return plan::pilot_of(search.report, loaded.graph().edges(), planned.moved_bytes);
}

/// What was measured of a GPU's link, or what is assumed of one.
LinkProfile link_of_device(int ordinal) {
  const Json devices = probe_cuda()["devices"];
  const auto at = static_cast<std::size_t>(ordinal);
  if (at >= devices.size()) return default_link_profile();
  return load_link_profile(devices[at]["uuid"].get<std::string>()).value_or(default_link_profile());
}

struct Known {
  std::optional<plan::MachineRates> rates;
  std::optional<LinkProfile> link;
  std::string missing;  // what would have to be measured; empty: nothing
};

Known what_is_known(const PlanCommand& c, const Context* here) {
  Known known;
  if (!here) {
    known.link = read_link_profile(c.link);
    known.rates = plan::load_rates(known.link->device, 1);
    if (!known.rates) {
      known.rates.emplace();
      known.missing = "kernels are left out: their rates on this GPU are not known";
    }
    return known;
  }
  const std::string name = here->device_name(here->devices()[0]);
  known.rates = plan::load_rates(name, plan::threads_of_rates(*here));
  if (!known.rates)
    known.missing = fmt::format(
        "no times: the rates of {} with {} threads are not known; "
        "`fathom doctor --measure` measures them once",
        name, here->threads());
  if (here->on_gpu()) known.link = link_of_device(cuda_device_of(c.execution));
  return known;
}

void run_plan(const PlanCommand& c, Session& session) {
  const Task task = session.task(c.json);
  plan::PlanRequest request;
  request.shape = shape_of(c);
  request.algorithm = c.algorithm;
  request.options = c.work.of(*find_algorithm(c.algorithm));
  request.residency = residency_named(c.execution.residency);
  if (c.execution.page_bytes > 0) request.page_bytes = c.execution.page_bytes;
  std::optional<Context> here;
  if (c.link.empty()) here.emplace(make_context(c.execution, request.shape.edges, task));
  request.machine = machine_of(c, here ? &*here : nullptr);
  set_strategy(request, c.execution);
  const plan::Plan planned = plan::make_plan(request);
  const Known known = what_is_known(c, here ? &*here : nullptr);
  here.reset();  // its budget is the pilot's
  std::optional<plan::Pilot> pilot;
  if (c.pilot) {
    if (c.graph.empty()) throw Error(ErrorCode::Usage, "--pilot searches a file: name one");
    pilot = run_pilot(c, planned, task);
  }
  std::optional<plan::Prediction> prediction;
  if (known.rates)
    prediction = plan::predict(request, planned, *known.rates, known.link ? &*known.link : nullptr,
                               pilot ? &*pilot : nullptr);
  session.progress.clear();
  write_out(c.json ? to_text(json_of(request, planned, prediction, known.missing))
                   : text_of(request, planned, prediction, known.missing));
}

void add_shape_options(CLI::App& command, PlanCommand& c) {
  const std::string group = "A graph that is not there yet";
  command.add_option("--kind", c.kind, "Plan for a graph that `fathom generate KIND` would make")
      ->type_name("KIND")
      ->check(CLI::IsMember({"rmat", "uniform", "preferential-attachment", "watts-strogatz"}))
      ->group(group);
  command.add_option("--scale", c.spec.scale, "2^N vertices")
      ->type_name("N")
      ->check(CLI::Range(0, 40))
      ->capture_default_str()
      ->group(group);
  command.add_option("--edge-factor", c.spec.edge_factor, "Generated edges per vertex")
      ->type_name("K")
      ->capture_default_str()
      ->group(group);
  command.add_flag("--directed", c.directed, "Edges one way only (default: both ways)")
      ->group(group);
  command.add_flag("--weights", c.weights, "With weights")->group(group);
}

void add_work_options(CLI::App& command, WorkOptions& work) {
  for (std::size_t i = 0; i < work.infos.size(); ++i) {
    CLI::Option* const option = add_value_option(command, work.infos[i], work.values);
    option->description(
        fmt::format("{}: {}", fmt::join(work.takers[i], ", "), work.infos[i].meaning));
    option->group("What the algorithm does");
    work.on_line.push_back(option);
  }
}

}  // namespace

void add_plan(CLI::App& program, Session& session) {
  auto* command = program.add_subcommand(
      "plan", "What would go where, how much memory and how long it would take; runs nothing");
  auto c = std::make_shared<PlanCommand>();
  const auto names = plan::planned_algorithms();
  command->add_option("algorithm", c->algorithm, "What would run")
      ->type_name("ALGORITHM")
      ->check(CLI::IsMember(std::vector<std::string>(names.begin(), names.end())))
      ->required();
  command->add_option("graph", c->graph, "A .fg file; or --kind and --scale")->type_name("G.fg");
  add_shape_options(*command, *c);
  add_work_options(*command, c->work);
  add_execution_options(*command, c->execution);
  command
      ->add_option("--link", c->link,
                   "Plan for another machine's GPU, with this measurement of its link "
                   "(`fathom bench link --save`); --devices N: for N of them")
      ->type_name("FILE.json");
  command->add_flag("--pilot", c->pilot,
                    "Search the graph once from its vertex of the highest degree, to know how much "
                    "traversals read and in how many levels");
  command->add_flag("--json", c->json, "Print one JSON object");
  command->footer(
      "Exit status 4, and the smallest budget that would work, when it does not fit. Times come\n"
      "from what `fathom doctor --measure` measured on this machine.\n\n"
      "Examples:\n"
      "  fathom plan pagerank graph.fg --host-memory 1GiB --residency stream\n"
      "  fathom plan bfs graph.fg --pilot\n"
      "  fathom plan pagerank --kind rmat --scale 32");
  command->callback([c, &session] { session.command = [c, &session] { run_plan(*c, session); }; });
}

}  // namespace fathom::cli
