#include "cli/shared/plan/plan_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/shared/console.hpp"
#include "fathom/core/units.hpp"

namespace fathom::cli {
namespace {

using plan::Machine;
using plan::Range;
using plan::Tier;

const char* name_of(Tier tier) {
  if (tier == Tier::Device) return "device";
  return tier == Tier::Host ? "host" : "disk";
}

const char* name_of(ResidencyOptions::Kind kind, bool mapped) {
  using Kind = ResidencyOptions::Kind;
  if (kind == Kind::Stream) return "stream";
  if (kind == Kind::ZeroCopy) return "zerocopy";
  if (kind == Kind::Managed) return "managed";
  return mapped ? "mapped" : "resident";
}

std::string executor_text(const Machine& m) {
  if (m.executor == Machine::Executor::Host) return fmt::format("cpu, {} threads", m.threads);
  const char* what = m.executor == Machine::Executor::Gpu ? "GPU" : "emulated device";
  return fmt::format("{} {}{}", m.devices, what, m.devices == 1 ? "" : "s");
}

std::string between(const Range& range, const auto& text) {
  const std::string low = text(range.low), high = text(range.high);
  return low == high ? low : low + " to " + high;
}

std::string seconds_text(const Range& range) {
  return between(range, [](double s) { return format_seconds(s); });
}

std::string prediction_text(const plan::Plan& planned, const plan::Prediction& p) {
  std::string text = fmt::format("time        {}", seconds_text(p.seconds));
  const auto count = [](double n) { return fmt::format("{:.0f}", n); };
  if (planned.work.kind == Reads::Kind::Sweeps)
    text += fmt::format(": {} supersteps{}", between(p.supersteps, count),
                        p.step.high > 0 ? fmt::format(" of {} each", seconds_text(p.step)) : "");
  else if (p.supersteps.high > 0)
    text += fmt::format(", with {} levels in the pilot", count(p.supersteps.high));
  if (p.kernels.high > 0) text += fmt::format("\n            kernels {}", seconds_text(p.kernels));
  if (p.fetched.high > 0)
    text += fmt::format(
        "; {} fetched{}",
        between(p.fetched, [](double b) { return format_bytes(static_cast<std::uint64_t>(b)); }),
        p.ceiling > 0 ? fmt::format(" at {}/s", format_bytes(static_cast<std::uint64_t>(p.ceiling)))
                      : " at a rate that was not measured");
  return text + "\n";
}

Json range_json(const Range& range) {
  return {{"low", range.low}, {"high", range.high}};
}

Json peak_json(std::uint64_t peak, std::uint64_t least) {
  return {{"peak_bytes", peak}, {"least_bytes", least}};
}

std::string bytes_text(double bytes) {
  return format_bytes(static_cast<std::uint64_t>(bytes));
}

std::string text_of(const plan::RankPlan& its) {
  const std::string edges =
      its.edges.least == its.edges.most
          ? format_count(its.edges.most)
          : format_count(its.edges.least) + " to " + format_count(its.edges.most);
  std::string text = fmt::format(
      "ranks       {}: each shows {} edges in a sweep{}\n"
      "each        {:>12}  vertex state: a whole replica\n"
      "each        {:>12}  lists it reads in a sweep, at most\n",
      its.ranks, edges, its.even ? ", if they are even" : "", format_bytes(its.state_bytes),
      format_bytes(its.list_bytes));
  if (!its.sent) return text + fmt::format("sent        not known: {}\n", its.basis);
  const auto count = [](double n) { return fmt::format("{:.0f}", n); };
  return text + fmt::format("sent        {} by each, in {} supersteps ({})\n",
                            between(*its.sent, bytes_text), between(its.supersteps, count),
                            its.basis);
}

Json json_of(const plan::RankPlan& its) {
  return {{"ranks", its.ranks},
          {"edges_least", its.edges.least},
          {"edges_most", its.edges.most},
          {"even", its.even},
          {"state_bytes", its.state_bytes},
          {"list_bytes", its.list_bytes},
          {"bytes_sent", its.sent ? range_json(*its.sent) : Json(nullptr)},
          {"supersteps", its.sent ? range_json(its.supersteps) : Json(nullptr)},
          {"basis", its.basis}};
}

}  // namespace

std::string text_of(const plan::PlanRequest& request, const plan::Plan& planned,
                    const std::optional<plan::Prediction>& prediction, const PlanText& said) {
  const plan::GraphShape& shape = request.shape;
  std::string text =
      fmt::format("{} of {}: {} vertices, {} edges, {}{}\n", planned.work.algorithm,
                  printable(shape.name), format_count(shape.vertices), format_count(shape.edges),
                  shape.directed ? "directed" : "undirected", shape.weighted ? ", weighted" : "");
  if (shape.vertex_bytes() > sizeof(VertexId))
    text +=
        "ids         of 8 bytes: so many vertices take a build with FATHOM_VERTEX_BITS=64, which "
        "this is not\n";
  text += fmt::format("runs on     {}\nresidency   {} ({})\n", executor_text(request.machine),
                      name_of(planned.residency, planned.mapped), planned.reason);
  if (planned.chunks > 0)
    text += fmt::format("strategy    s: the vertex state in {} chunks\n", planned.chunks);
  for (const plan::Holding& holding : planned.holdings)
    text += fmt::format("{:<12}{:>12}  {}\n", name_of(holding.tier), format_bytes(holding.bytes),
                        holding.what);
  if (planned.peak_device > 0)
    text += fmt::format("peak        {:>12}  of each device's budget ({} at least)\n",
                        format_bytes(planned.peak_device), format_bytes(planned.least_device));
  text += fmt::format("peak        {:>12}  of the host's budget ({} at least)\n",
                      format_bytes(planned.peak_host), format_bytes(planned.least_host));
  if (said.ranks) text += text_of(*said.ranks);
  if (prediction) text += prediction_text(planned, *prediction);
  if (!prediction && request.machine.executor == Machine::Executor::EmulatedDevices)
    text += "time        emulated devices take turns: not predicted\n";
  else if (!said.missing.empty())
    text += fmt::format("note        {}\n", said.missing);
  return text;
}

Json json_of(const plan::PlanRequest& request, const plan::Plan& planned,
             const std::optional<plan::Prediction>& prediction, const PlanText& said) {
  const plan::GraphShape& shape = request.shape;
  Json json;
  json["schema"] = "fathom.plan/1";
  json["algorithm"] = planned.work.algorithm;
  json["graph"] = {{"name", shape.name},         {"vertices", shape.vertices},
                   {"edges", shape.edges},       {"directed", shape.directed},
                   {"weighted", shape.weighted}, {"id_bytes", shape.id_bytes}};
  json["executor"] = executor_text(request.machine);
  json["residency"] = name_of(planned.residency, planned.mapped);
  json["reason"] = planned.reason;
  const bool dealt = planned.chunks > 0 || request.machine.devices > 1 ||
                     request.machine.executor == Machine::Executor::EmulatedDevices;
  json["strategy"] = dealt ? Json(planned.chunks > 0 ? "s" : "p") : Json(nullptr);
  json["chunks"] = dealt ? Json(std::max(planned.chunks, 1u)) : Json(nullptr);
  json["holdings"] = Json::array();
  for (const plan::Holding& holding : planned.holdings)
    json["holdings"].push_back(
        {{"tier", name_of(holding.tier)}, {"what", holding.what}, {"bytes", holding.bytes}});
  json["device"] = planned.peak_device > 0 ? peak_json(planned.peak_device, planned.least_device)
                                           : Json(nullptr);
  json["host"] = peak_json(planned.peak_host, planned.least_host);
  json["prediction"] = nullptr;
  if (prediction)
    json["prediction"] = {{"seconds", range_json(prediction->seconds)},
                          {"supersteps", range_json(prediction->supersteps)},
                          {"superstep_seconds", range_json(prediction->step)},
                          {"kernel_seconds", range_json(prediction->kernels)},
                          {"fetched_bytes", range_json(prediction->fetched)},
                          {"fetch_bytes_per_second",
                           prediction->ceiling > 0 ? Json(prediction->ceiling) : Json(nullptr)}};
  json["missing"] = said.missing.empty() ? Json(nullptr) : Json(said.missing);
  json["ranks"] = said.ranks ? json_of(*said.ranks) : Json(nullptr);
  return json;
}

}  // namespace fathom::cli
