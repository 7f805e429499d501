// fathom plan: what would go where and how long it would take, without running anything.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

#include "cli/commands/algorithms/shared/described_options.hpp"
#include "cli/commands/commands.hpp"
#include "cli/machine/probes.hpp"
#include "cli/shared/console.hpp"
#include "cli/shared/loaded_graph.hpp"
#include "cli/shared/plan/plan_inputs.hpp"
#include "cli/shared/plan/plan_text.hpp"
#include "cli/shared/report_json.hpp"
#include "fathom/algorithms/bfs/bfs.hpp"
#include "fathom/algorithms/described/planned.hpp"
#include "fathom/core/units.hpp"
#include "fathom/plan/rank_plan.hpp"

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
  for (const Algorithm* const algorithm : planned_descriptions())
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
  int ranks = 1;
  ExecutionOptions execution;
  WorkOptions work;
};

plan::GraphShape shape_of(const PlanCommand& c) {
  if (c.graph.empty() == c.kind.empty())
    throw Error(ErrorCode::Usage, "plan needs a graph: either G.fg, or --kind and --scale");
  if (!c.graph.empty()) return shape_of_file(c.graph, c.execution);
  refuse_filter(c.execution);
  generate::Spec spec = c.spec;
  spec.kind = generate::kind_named(c.kind).value();
  if (c.weights) spec.weights = generate::WeightRange{};
  return plan::shape_of(spec, c.directed);
}

/// This machine, or with --link GPUs that need not be in it.
Machine planned_machine(const PlanCommand& c, const Context* here) {
  if (here) return machine_of(*here, c.execution, available_memory());
  Machine m;
  m.host_memory = limit_of(c.execution.host_memory);
  m.device_memory = limit_of(c.execution.device_memory);
  if (m.device_memory == plan::kNoLimit)
    throw Error(ErrorCode::Usage,
                "--link plans for another GPU, whose --device-memory must be "
                "given");
  m.executor = Machine::Executor::Gpu;
  m.devices = std::max(1, c.execution.devices);
  return m;
}

// A pilot of work that takes longer is stopped, and says no more than that.
constexpr std::chrono::seconds kPilotLimit{30};
// Short runs are repeated, for a median.
constexpr std::size_t kPilotRuns = 5;
constexpr double kPilotSeconds = 2;  // of all that are repeated

/// Runs the work itself, as the command would: from the vertex of the highest degree if it needs
/// one. Every run has a handle of its own, for what one leaves in memory the next would not fetch.
class PilotRuns {
 public:
  PilotRuns(const PlanCommand& c, const OptionValues& options, const plan::Plan& planned,
            const Task& task)
      : c_(c), algorithm_(*find_planned(c.algorithm)), options_(options), planned_(planned) {
    execution_ = c.execution;
    if (planned.residency == ResidencyOptions::Kind::Stream && c.execution.devices == 0)
      execution_.residency = "stream";
    task_ = task;
    task_.cancelled = &cancelled_;
  }

  plan::Pilot run() {
    const Range all = planned_.work.supersteps;
    if (planned_.work.kind != Reads::Kind::Sweeps) return whole();
    if (all.high <= kSomeSweeps || limit().empty()) return whole();
    // Some of them say nothing of all where bounds say nothing of how many there are.
    if (all.high > kMostSpan * all.low) return whole();
    plan::Pilot some = repeated(kSomeSweeps);
    // How many it needs is only known when it is through.
    const bool affordable = some.times->step * all.high < kPilotLimit.count();
    if (all.low < all.high && affordable && !some.times->stopped) return whole();
    if (some.times->supersteps == kSomeSweeps) some.times->supersteps = 0;
    return some;
  }

 private:
  static constexpr std::uint32_t kSomeSweeps = 3;
  static constexpr double kMostSpan = 6;
  using Range = plan::Range;

  plan::Pilot whole() { return repeated(0); }

  /// The option that says how many sweeps there are at most; empty: there is none.
  std::string_view limit() const {
    for (const std::string_view name : {"max-iter", "iterations"})
      if (std::ranges::find(algorithm_.options, name, &OptionInfo::name) !=
          algorithm_.options.end())
        return name;
    return "";
  }

  /// @param sweeps  0: to the end.
  plan::Pilot repeated(std::uint32_t sweeps) {
    std::vector<RunReport> reports;
    const auto start = std::chrono::steady_clock::now();
    const auto seconds = [&] {
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    };
    do {
      const double before = seconds();
      if (auto report = once(sweeps)) {
        reports.push_back(std::move(*report));
        continue;
      }
      if (!reports.empty()) break;
      plan::Pilot stopped;
      stopped.times = {.run = seconds() - before, .stopped = true};
      return stopped;
    } while (seconds() < kPilotSeconds && reports.size() < kPilotRuns);
    plan::Pilot pilot = plan::pilot_of(reports.front(), edges_, planned_.moved_bytes);
    pilot.times = plan::times_of(reports);
    if (!loading_ && on_gpu_) loading_ = std::max(0., reports.front().seconds - pilot.times->run);
    pilot.times->loading = loading_.value_or(0);
    return pilot;
  }

  /// Nothing: it was stopped.
  std::optional<RunReport> once(std::uint32_t sweeps) {
    const std::jthread watch([this](const std::stop_token& over) {
      std::mutex mutex;
      std::condition_variable_any ended;
      std::unique_lock lock(mutex);
      if (!ended.wait_for(lock, over, kPilotLimit, [&] { return over.stop_requested(); }))
        cancelled_ = true;
    });
    try {
      const LoadedGraph loaded(
          c_.graph, execution_, task_,
          algorithm_.reads_oriented ? LoadedGraph::Opens::Nothing : LoadedGraph::Opens::OutLists);
      edges_ = loaded.graph().edges();
      on_gpu_ = loaded.context().on_gpu();
      return algorithm_.run(loaded.context(), loaded.graph(), values(loaded, sweeps)).report;
    } catch (const Error& e) {
      if (e.code() != ErrorCode::Interrupted || task_.stop.stop_requested()) throw;
      return std::nullopt;
    }
  }

  OptionValues values(const LoadedGraph& loaded, std::uint32_t sweeps) const {
    OptionValues values = options_;
    if (sweeps > 0) values.set_count(limit(), sweeps);
    for (const OptionInfo& info : algorithm_.options)
      if (info.required &&
          (info.kind == OptionInfo::Kind::Vertex || info.kind == OptionInfo::Kind::Vertices)) {
        const VertexId hub =
            plan::longest_list(loaded.store().out_offsets(loaded.context().threads()));
        values.set_vertices(info.name, {{loaded.label(hub)}, {hub}});
      }
    values.columns = false;
    return values;
  }

  const PlanCommand& c_;
  const Algorithm& algorithm_;
  const OptionValues& options_;
  const plan::Plan& planned_;
  ExecutionOptions execution_;
  Task task_;
  std::atomic<bool> cancelled_ = false;
  std::uint64_t edges_ = 0;
  bool on_gpu_ = false;
  std::optional<double> loading_;  // seconds that the first run on a GPU took beside the work
};

/// A search in place of work that another machine would do.
plan::Pilot run_search(const PlanCommand& c, const plan::Plan& planned, const Task& task) {
  const LoadedGraph loaded(c.graph, c.execution, task);
  const VertexId source =
      plan::longest_list(loaded.store().out_offsets(loaded.context().threads()));
  const BfsResult search = bfs(loaded.context(), loaded.graph(), std::array{source});
  return plan::pilot_of(search.report, loaded.graph().edges(), planned.moved_bytes);
}

KnownRates what_is_known(const PlanCommand& c, const Context* here) {
  if (here) return known_rates(*here, c.execution);
  KnownRates known;
  known.link = read_link_profile(c.link);
  known.rates = plan::load_rates(known.link->device, 1);
  if (!known.rates) {
    known.rates.emplace();
    known.missing = "kernels are left out: their rates on this GPU are not known";
  }
  return known;
}

/// What the prediction does not know, for its reader.
std::string note_of(const plan::Plan& planned, const std::optional<plan::Prediction>& prediction,
                    const std::optional<plan::Pilot>& pilot, const KnownRates& known,
                    bool emulated) {
  if (pilot && pilot->times && pilot->times->stopped)
    return fmt::format(
        "the pilot was stopped after {} s: it takes longer, and no model bounds how "
        "long",
        kPilotLimit.count());
  if (prediction && pilot) return "";
  if (!prediction && known.rates && planned.work.kind == Reads::Kind::Unknown)
    return fmt::format(
        "no times: no model tells them of {} with these options{}: --pilot runs it",
        planned.work.algorithm,
        find_planned(planned.work.algorithm)->asks_two_paths ? ", or without a file" : "");
  const bool measured = known.rates && !known.rates->work.empty();
  if (!prediction && measured && !emulated)
    return fmt::format(
        "no times: the rates of {} do not have {}, or not of its supersteps; `fathom doctor "
        "--measure` measures them, and --pilot runs it",
        known.rates->measured, planned.work.rate);
  const bool far = planned.residency == ResidencyOptions::Kind::Stream &&
                   planned.near_bytes < planned.moved_bytes;
  if (prediction && far && planned.work.kind == Reads::Kind::Traversal)
    return "lists that do not stay in memory are read again, perhaps in every superstep: --pilot "
           "tells";
  return known.missing;
}

/// What is told of several ranks. Their times are not.
void plan_of_ranks(const PlanCommand& c, const plan::PlanRequest& request,
                   const plan::Plan& planned, const plan::Pilot* pilot,
                   std::optional<plan::Prediction>& prediction, PlanText& text) {
  text.ranks = plan::plan_ranks(request, planned, rank_shares(c.graph, c.ranks, planned.work),
                                prediction ? &prediction->supersteps : nullptr, pilot);
  prediction.reset();
  text.missing = "no times: those of ranks depend on what is between them";
}

void run_plan(const PlanCommand& c, Session& session) {
  const Task task = session.task(c.json);
  plan::PlanRequest request;
  request.shape = shape_of(c);
  request.algorithm = c.algorithm;
  if (!c.graph.empty()) check_direction(*find_planned(c.algorithm), request.shape);
  request.options = c.work.of(*find_planned(c.algorithm));
  set_reads(request, c.execution);
  std::optional<Context> here;
  if (c.link.empty()) here.emplace(make_context(c.execution, request.shape.edges, task));
  request.machine = planned_machine(c, here ? &*here : nullptr);
  request.machine.ranks = c.ranks;
  const KnownRates known = what_is_known(c, here ? &*here : nullptr);
  if (!c.graph.empty() && ((known.rates && !c.pilot) || c.ranks > 1)) look_at_degrees(request);
  set_strategy(request, c.execution);
  const plan::Plan planned = plan::make_plan(request);
  here.reset();  // its budget is the pilot's
  std::optional<plan::Pilot> pilot;
  if (c.pilot) {
    if (c.graph.empty()) throw Error(ErrorCode::Usage, "--pilot searches a file: name one");
    pilot = c.link.empty() ? PilotRuns(c, *request.options, planned, task).run()
                           : run_search(c, planned, task);
  }
  std::optional<plan::Prediction> prediction;
  if (known.rates || pilot)
    prediction = plan::predict(request, planned, known.rates.value_or(plan::MachineRates()),
                               known.link ? &*known.link : nullptr, pilot ? &*pilot : nullptr);
  const bool emulated = request.machine.executor == Machine::Executor::EmulatedDevices;
  PlanText said{note_of(planned, prediction, pilot, known, emulated), {}};
  if (c.ranks > 1) plan_of_ranks(c, request, planned, pilot ? &*pilot : nullptr, prediction, said);
  session.progress.clear();
  write_out(c.json ? to_text(json_of(request, planned, prediction, said))
                   : text_of(request, planned, prediction, said));
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
  add_filter_options(*command, c->execution);
  add_execution_options(*command, c->execution);
  command
      ->add_option("--link", c->link,
                   "Plan for another machine's GPU, with this measurement of its link "
                   "(`fathom bench link --save`); --devices N: for N of them")
      ->type_name("FILE.json");
  command->add_flag("--pilot", c->pilot,
                    "Run the work on the file first, within the same budgets, for at most half a "
                    "minute: three iterations of PageRank, all of others, from the vertex of the "
                    "highest degree. With --link: search it once, to know how much is read");
  command
      ->add_option("--ranks", c->ranks,
                   "Plan for so many ranks under mpirun or srun, each with the memory and the "
                   "devices above: what one shows, holds and sends")
      ->type_name("N")
      ->check(CLI::Range(1, 1 << 20))
      ->capture_default_str();
  command->add_flag("--json", c->json, "Print one JSON object");
  command->footer(
      "Exit status 4, and the smallest budget that would work, when it does not fit. Times come\n"
      "from what `fathom doctor --measure` measured on this machine.\n\n"
      "Examples:\n"
      "  fathom plan pagerank graph.fg --host-memory 1GiB --residency stream\n"
      "  fathom plan bfs graph.fg --pilot\n"
      "  fathom plan pagerank --kind rmat --scale 32\n"
      "  fathom plan cc graph.fg --ranks 16");
  command->callback([c, &session] { session.command = [c, &session] { run_plan(*c, session); }; });
}

}  // namespace fathom::cli
