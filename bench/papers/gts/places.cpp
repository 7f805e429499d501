// Where the edges are in the runs of `fathom bench gts`, and with what budgets.
#include "bench/papers/gts/gts.hpp"
#include "fathom/core/parallel.hpp"
#include "fathom/plan/plan.hpp"

namespace fathom::cli::gts {
namespace {

plan::PlanRequest request_of(const GraphFiles& graph, const std::string& app, const Place& place,
                             int threads) {
  plan::PlanRequest request;
  request.shape = plan::shape_of(*store::Store::open(place.slotted ? graph.slotted : graph.csr));
  request.algorithm = app;
  request.residency = ResidencyOptions::Kind::Stream;
  request.machine.threads = worker_count(threads);
  return request;
}

}  // namespace

std::size_t host_budget(const GraphFiles& graph, const std::string& app, const Place& place,
                        double share, int threads) {
  const auto kept =
      static_cast<std::size_t>(share * static_cast<double>(graph.bytes(place.slotted)));
  constexpr std::size_t kUnit = std::size_t{1} << 20;  // what is read at once
  if (place.devices == 0)
    return plan::make_plan(request_of(graph, app, place, threads)).least_host + kUnit + kept;
  // State is on the devices then; the host has the result, twice while replicas are merged.
  const std::size_t result = std::size_t{2 * 8} * graph.vertices;
  return result + 2 * kUnit + kept;
}

std::size_t device_budget(const GraphFiles& graph, const std::string& app, const Place& place,
                          double share, int threads) {
  plan::PlanRequest request = request_of(graph, app, place, threads);
  request.machine.executor =
      place.gpu ? plan::Machine::Executor::Gpu : plan::Machine::Executor::EmulatedDevices;
  request.machine.devices = std::max(1, place.devices);
  // What the driver and kernels take beside the plan. Frames are half of what is left, or on a GPU
  // all but an eighth and 64 MiB.
  const std::size_t slack = place.gpu ? std::size_t{128} << 20 : std::size_t{1} << 20;
  const auto kept = static_cast<std::size_t>(
      share * static_cast<double>(graph.bytes(place.slotted)) / request.machine.devices);
  return plan::make_plan(request).least_device + slack + (place.gpu ? kept / 7 * 8 : 2 * kept);
}

std::vector<Place> places(const Command& c, const GraphFiles& graph, const std::string& app,
                          bool all) {
  std::vector<Place> out;
  const int devices = c.devices();
  const bool striped = all && !c.execution.ssd.empty();
  const auto add = [&](const std::string& storage, bool slotted, const std::string& residency,
                       int on) {
    Place p;
    p.storage = storage;
    p.slotted = slotted;
    p.residency = residency;
    p.devices = on;
    p.device_memory = c.execution.device_memory;
    p.gpu = c.on_gpu();
    if (p.from_disk()) p.host_memory = host_budget(graph, app, p, c.buffer, c.execution.threads);
    out.push_back(p);
  };
  if (c.on_gpu()) {
    if (all) add("device", false, "resident", 1);
    if (all) add("device", true, "resident", 1);
    std::vector<int> counts{devices};
    if (all && devices > 1) counts.insert(counts.begin(), 1);
    for (const int on : counts) {
      add("memory", false, "zerocopy", on);
      add("memory", false, "stream", on);
      add("memory", true, "stream", on);
      if (all) add("ssd", false, "stream", on);
      add("ssd", true, "stream", on);
      if (striped) add("ssds", true, "stream", on);
    }
    return out;
  }
  const std::string mapped = devices > 0 ? "stream" : "auto";
  if (all && devices > 1) {
    add("memory", true, "stream", 1);
    add("ssd", true, "stream", 1);
  }
  add("memory", false, mapped, devices);
  add("memory", true, mapped, devices);
  if (all) add("ssd", false, "stream", devices);
  add("ssd", true, "stream", devices);
  if (striped) add("ssds", true, "stream", devices);
  return out;
}

}  // namespace fathom::cli::gts
