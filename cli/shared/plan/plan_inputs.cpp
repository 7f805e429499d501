#include "cli/shared/plan/plan_inputs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/machine/probes.hpp"
#include "cli/shared/loaded_graph.hpp"
#include "fathom/algorithms/described/planned.hpp"
#include "fathom/core/error.hpp"
#include "fathom/residency/filtered/kept_edges.hpp"
#include "fathom/store/store.hpp"

namespace fathom::cli {
namespace {

using plan::Machine;

/// What was measured of a GPU's link, or what is assumed of one.
LinkProfile link_of_device(int ordinal) {
  const Json devices = probe_cuda()["devices"];
  const auto at = static_cast<std::size_t>(ordinal);
  if (at >= devices.size()) return default_link_profile();
  return load_link_profile(devices[at]["uuid"].get<std::string>()).value_or(default_link_profile());
}

}  // namespace

std::uint64_t limit_of(std::size_t bytes) {
  return bytes == MemoryPool::kUnlimited ? plan::kNoLimit : bytes;
}

Machine machine_of(const Context& here, const ExecutionOptions& options, std::uint64_t available) {
  Machine m;
  m.host_memory = limit_of(options.host_memory);
  m.device_memory = limit_of(options.device_memory);
  m.threads = here.threads();
  // A budget that was given stands for a machine that has it.
  m.physical_memory = m.host_memory == plan::kNoLimit ? available : plan::kNoLimit;
  if (here.on_gpu()) {
    m.executor = Machine::Executor::Gpu;
    m.devices = static_cast<int>(here.devices().size());
    m.device_memory = here.devices()[0].memory()->available();
    for (const Device& device : here.devices())
      m.device_memory = std::min<std::uint64_t>(m.device_memory, device.memory()->available());
  } else if (here.separate()) {
    m.executor = Machine::Executor::EmulatedDevices;
    m.devices = static_cast<int>(here.devices().size());
  }
  return m;
}

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

KnownRates known_rates(const Context& here, const ExecutionOptions& options) {
  KnownRates known;
  const std::string name = here.device_name(here.devices()[0]);
  known.rates = plan::load_rates(name, plan::threads_of_rates(here));
  if (!known.rates)
    known.missing = fmt::format(
        "no times: the rates of {} with {} threads are not known; "
        "`fathom doctor --measure` measures them once",
        name, here.threads());
  if (here.on_gpu()) known.link = link_of_device(cuda_device_of(options));
  return known;
}

void set_reads(plan::PlanRequest& request, const ExecutionOptions& options) {
  request.residency = residency_named(options.residency);
  request.packed = packed_named(options.packed);
  if (options.page_bytes > 0) request.page_bytes = options.page_bytes;
  if (const auto id_bits = id_bits_named(options.id_bits))
    request.shape = plan::narrowed_shape(std::move(request.shape), *id_bits);
}

void check_direction(const Algorithm& algorithm, const plan::GraphShape& shape) {
  if (algorithm.of == Algorithm::Of::Directed && !shape.directed)
    throw Error(ErrorCode::Usage, fmt::format("{} is of directed graphs, and {} is undirected",
                                              algorithm.name, shape.name));
  if (algorithm.of == Algorithm::Of::Undirected && shape.directed)
    throw Error(ErrorCode::Usage,
                fmt::format("{} is of undirected graphs, and {} is directed: convert it with "
                            "--undirected",
                            algorithm.name, shape.name));
}

plan::GraphShape shape_of_file(const std::string& path, const ExecutionOptions& options) {
  const auto store = store::Store::open(path);
  const EdgeFilter filter = filter_of(options);
  check_layout_options(options, *store);
  check_filter(filter, *store);
  plan::GraphShape shape = plan::shape_of(*store);
  if (filter.keeps_all()) return shape;
  CpuOptions where;
  where.threads = options.threads;
  const Context here = Context::cpu(where);
  return plan::filtered_shape(std::move(shape), kept_edges(here, path, filter).kept);
}

void refuse_filter(const ExecutionOptions& options) {
  if (filter_of(options).keeps_all()) return;
  throw Error(ErrorCode::Usage,
              "--since, --until, --at and --types keep edges of a file, and none is named");
}

void look_at_degrees(plan::PlanRequest& request) {
  const auto store = store::Store::open(request.shape.name);
  request.shape.likeness = plan::likeness_of(store->out_offsets());
  request.shape.shares = plan::shares_of(store->out_offsets());
  if (!find_planned(request.algorithm)->asks_two_paths || request.shape.filtered()) return;
  const bool separate_in = request.shape.separate_in();
  request.shape.two_paths = plan::two_paths_of(
      store->out_offsets(), separate_in ? store->in_offsets() : std::span<const EdgeId>());
}

std::optional<plan::RankShares> rank_shares(const std::string& path, int ranks,
                                            const plan::Workload& work) {
  if (path.empty() || work.oriented_lists) return std::nullopt;
  const auto store = store::Store::open(path);
  const bool in = work.in_lists && store->header().directed && store->header().has_in_edges;
  const std::span<const EdgeId> none;
  return plan::shares_of_ranks(ranks, work.out_lists ? store->out_offsets() : none,
                               in ? store->in_offsets() : none);
}

}  // namespace fathom::cli
