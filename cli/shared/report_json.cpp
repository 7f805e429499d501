#include "cli/shared/report_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "cli/machine/resident_memory.hpp"
#include "fathom/exec/checked_json.hpp"
#include "fathom/residency/host_memory.hpp"

namespace fathom::cli {
namespace {

Json link_json(const Graph& graph, const RunReport& run, bool reads_weights) {
  const double ceiling = graph.link_ceiling();
  const double gigabytes = static_cast<double>(run.link.bytes) / 1e9;
  const double walked = static_cast<double>(run.edges_traversed) *
                        (sizeof(VertexId) + (reads_weights ? sizeof(Weight) : 0));
  return {{"bytes", run.link.bytes},
          {"requests", run.link.requests},
          {"gbps", run.seconds > 0 ? Json(gigabytes / run.seconds) : Json(nullptr)},
          {"amplification",
           walked > 0 ? Json(static_cast<double>(run.link.bytes) / walked) : Json(nullptr)},
          {"ceiling_gbps", ceiling > 0 ? Json(ceiling) : Json(nullptr)}};
}

/// `waited`: without anything else to do. Hits are pages that the buffer in host memory spared.
Json disk_json(const RunReport& run) {
  const DiskTraffic& disk = run.link.disk;
  const double gigabytes = static_cast<double>(disk.bytes) / 1e9;
  return {{"bytes", disk.bytes},
          {"requests", disk.requests},
          {"gbps", run.seconds > 0 ? Json(gigabytes / run.seconds) : Json(nullptr)},
          {"seconds_waited", disk.seconds_waited},
          {"page_hits", disk.page_hits},
          {"page_misses", disk.page_misses}};
}

/// Host memory that was obtained for GPUs; null: none was.
Json host_memory_json(const HostMemoryReport& memory) {
  if (memory.bytes() == 0) return nullptr;
  return {{"ways", memory.ways()},
          {"bytes", memory.bytes()},
          {"pinned_bytes", memory.pinned_bytes()},
          {"seconds", memory.seconds()},
          {"background_seconds", memory.background_seconds()},
          {"notes", memory.notes()}};
}

}  // namespace

double Timing::median() const {
  if (trials.empty()) return 0;
  std::vector<double> sorted = trials;
  std::sort(sorted.begin(), sorted.end());
  const std::size_t middle = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

Json supersteps_json(const RunReport& run) {
  Json steps = Json::array();
  for (const Superstep& s : run.supersteps)
    steps.push_back({{"frontier", s.frontier},
                     {"edges", s.edges},
                     {"seconds", s.seconds},
                     {"direction", s.direction},
                     {"link_bytes", s.link.bytes},
                     {"link_requests", s.link.requests},
                     {"disk_bytes", s.link.disk.bytes}});
  return steps;
}

std::string hex(std::uint64_t word) {
  return fmt::format("{:016x}", word);
}

Json graph_json(const store::Header& header, const std::string& path) {
  return {{"path", path},
          {"vertices", header.vertices},
          {"edges", header.edges},
          {"directed", header.directed},
          {"weighted", header.weighted},
          {"fingerprint", hex(header.fingerprint)}};
}

Json filter_json(const LoadedGraph& graph) {
  const EdgeFilter& filter = graph.filter();
  if (filter.keeps_all()) return nullptr;
  const auto time = [](const std::optional<std::uint64_t>& t) { return t ? Json(*t) : Json(); };
  Json types = nullptr;
  for (const TypeRange& range : filter.types) types.push_back({range.first, range.last});
  return {{"since", time(filter.since)},
          {"until", time(filter.until)},
          {"at", time(filter.at)},
          {"types", std::move(types)},
          {"edges", graph.graph().edges()}};
}

Json json_of(const store::DegreeSummary& d) {
  Json histogram = Json::array();
  for (std::size_t i = 0; i < d.histogram.size(); ++i)
    if (d.histogram[i] > 0)
      histogram.push_back(
          {{"least", i == 0 ? 0 : std::uint64_t{1} << (i - 1)}, {"vertices", d.histogram[i]}});
  return {{"mean", d.mean()},
          {"maximum", d.maximum},
          {"percentiles",
           {{"50", d.percentile[0]},
            {"90", d.percentile[1]},
            {"99", d.percentile[2]},
            {"99.9", d.percentile[3]},
            {"99.99", d.percentile[4]}}},
          {"histogram", histogram}};
}

Json report_json(const std::string& algorithm, const LoadedGraph& graph, const RunReport& run,
                 const Timing& timing, Json result, std::optional<bool> verified,
                 bool reads_weights) {
  Json its = graph_json(graph.store().header(), graph.path());
  its["filter"] = filter_json(graph);
  return report_json(algorithm, std::move(its), graph.context(), graph.graph(), run, timing,
                     std::move(result), verified, reads_weights);
}

Json report_json(const std::string& algorithm, Json graph_json, const Context& context,
                 const Graph& graph, const RunReport& run, const Timing& timing, Json result,
                 std::optional<bool> verified, bool reads_weights) {
  const double seconds = timing.median();
  const bool streamed = graph.residency() == "stream";
  const bool over_link = (streamed && context.separate()) || graph.residency() == "zerocopy";
  Json report;
  report["schema"] = "fathom.report/1";
  report["algorithm"] = algorithm;
  report["graph"] = std::move(graph_json);
  report["device"] = {{"kind", context.on_gpu()     ? "cuda"
                               : context.separate() ? "emulated"
                                                    : "cpu"},
                      {"name", context.device_name()},
                      {"count", context.devices().size()}};
  if (context.on_gpu())
    for (const Device& device : context.devices())
      report["device"]["ordinals"].push_back(device.ordinal());
  const bool dealt =
      context.separate() && (!context.on_gpu() || context.devices().size() > 1 || run.chunks > 0);
  report["strategy"] = dealt ? Json(run.chunks > 0 ? "s" : "p") : Json(nullptr);
  report["chunks"] = dealt ? Json(std::max<std::uint32_t>(run.chunks, 1)) : Json(nullptr);
  report["residency"] = graph.residency();
  report["residency_reason"] = graph.residency_reason();
  report["layout"] = "csr";
  report["threads"] = context.threads();
  report["seconds"] = {{"median", seconds}, {"trials", timing.trials}};
  report["load_seconds"] = timing.load;
  report["verify_seconds"] = timing.verification ? Json(*timing.verification) : Json(nullptr);
  report["edges_traversed"] = run.edges_traversed;
  report["gteps"] =
      seconds > 0 ? Json(static_cast<double>(run.edges_traversed) / seconds / 1e9) : Json(nullptr);
  report["supersteps"] = supersteps_json(run);
  report["link"] = over_link ? link_json(graph, run, reads_weights) : Json(nullptr);
  report["cache"] = streamed ? Json{{"hits", run.link.cache_hits},
                                    {"misses", run.link.cache_misses},
                                    {"bytes", graph.cache_bytes()}}
                             : Json(nullptr);
  report["disk"] = streamed ? disk_json(run) : Json(nullptr);
  report["ranks"] = nullptr;  // whose rows all of them have to be asked for
  report["host_memory"] = host_memory_json(host_memory_of(graph));
  report["peak_device_bytes"] = context.separate() ? Json(run.peak_device_bytes) : Json(nullptr);
  report["peak_host_bytes"] = run.peak_host_bytes;
  report["peak_resident_bytes"] = peak_resident_bytes();
  report["converged"] = run.converged;
  report["iterations"] = run.iterations;
  report["result"] = std::move(result);
  report["verified"] = verified ? Json(*verified) : Json(nullptr);
  return report;
}

std::string to_text(const Json& json) {
  return json_text(json);
}

void write_json(const std::string& path, const Json& json) {
  write_text(path, to_text(json));
}

void write_text(const std::string& path, const std::string& text) {
  write_whole(path, text);
}

}  // namespace fathom::cli
