// Runs of `fathom bench gts`: an algorithm in several places in turn, and whether they agree.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "bench/papers/gts/gts.hpp"
#include "cli/shared/device_names.hpp"
#include "fathom/algorithms/betweenness/betweenness.hpp"
#include "fathom/algorithms/bfs/bfs.hpp"
#include "fathom/algorithms/components/components.hpp"
#include "fathom/algorithms/pagerank/pagerank.hpp"
#include "fathom/algorithms/sssp/sssp.hpp"
#include "fathom/core/error.hpp"

namespace fathom::cli::gts {
namespace {

// Floats are added up in another order elsewhere; see PagerankResult::rank.
constexpr double kRoundingShare = 1e-5;

struct Spans {
  std::vector<std::pair<double, double>> all;  // begin, end

  /// How long at least one of them lasts, in the unit of its ends.
  double covered() {
    std::sort(all.begin(), all.end());
    double sum = 0, end = -1;
    for (const auto& [from, to] : all) {
      sum += std::max(0., to - std::max(from, end));
      end = std::max(end, to);
    }
    return sum;
  }
};

/// Of the timeline from `begin` (microseconds) on.
void read_trace(const Trace& trace, double begin, Outcome& outcome) {
  Spans disk, copies, kernels;
  const Json timeline = Json::parse(trace.json());
  for (const Json& event : timeline["traceEvents"]) {
    if (event["ph"] != "X" || event["ts"].get<double>() < begin) continue;
    const double from = event["ts"].get<double>(), to = from + event["dur"].get<double>();
    const auto lane = event["cat"].get<std::string>();
    (lane == "kernels" ? kernels : lane == "copies" ? copies : disk).all.emplace_back(from, to);
  }
  constexpr double kSeconds = 1e-6;
  outcome.work = kernels.covered() * kSeconds;
  outcome.transfer = (copies.all.empty() ? disk : copies).covered() * kSeconds;
  copies.all.insert(copies.all.end(), disk.all.begin(), disk.all.end());
  const double moving = copies.covered() * kSeconds;
  outcome.busier_idle = std::max(0., outcome.report.seconds - std::max(moving, outcome.work));
}

/// When the last span of a timeline ended.
double end_of(const Trace& trace) {
  double end = 0;
  const Json timeline = Json::parse(trace.json());
  for (const Json& event : timeline["traceEvents"])
    if (event["ph"] == "X")
      end = std::max(end, event["ts"].get<double>() + event["dur"].get<double>());
  return end;
}

template <class T>
std::vector<double> as_doubles(const Array<T>& values) {
  return {values.begin(), values.end()};
}

template <class Result, class T, class Verify>
Outcome taken(Result& result, const Array<T>& values, bool verify, const Verify& check) {
  if (verify) check();
  Outcome outcome;
  outcome.values = as_doubles(values);
  outcome.report = std::move(result.report);
  return outcome;
}

Outcome run_once(const Command& c, const std::string& app, const LoadedGraph& g, VertexId source,
                 bool verify) {
  const Context& on = g.context();
  const auto checked = [&](auto check) {
    return [&g, check] { check(g.checking_context(), g.checking_graph()); };
  };
  if (app == "bfs") {
    BfsResult r = bfs(on, g.graph(), {&source, 1});
    return taken(r, r.depth, verify, checked([&](const Context& ctx, const Graph& graph) {
                   verify_bfs(ctx, graph, {&source, 1}, {}, r);
                 }));
  }
  if (app == "sssp") {
    SsspResult r = sssp(on, g.graph(), source);
    return taken(r, r.distance, verify, checked([&](const Context& ctx, const Graph& graph) {
                   verify_sssp(ctx, graph, source, r);
                 }));
  }
  if (app == "cc") {
    ComponentsResult r = connected_components(on, g.graph());
    return taken(r, r.label, verify, checked([&](const Context& ctx, const Graph& graph) {
                   verify_components(ctx, graph, r);
                 }));
  }
  if (app == "bc") {
    BetweennessOptions options;
    options.sources = {source};
    BetweennessResult r = betweenness(on, g.graph(), options);
    return taken(r, r.centrality, verify, checked([&](const Context& ctx, const Graph& graph) {
                   verify_betweenness(ctx, graph, options, r);
                 }));
  }
  PagerankOptions options;
  options.max_iterations = c.iterations;
  options.in_place = false;  // iterations are the same everywhere
  PagerankResult r = pagerank(on, g.graph(), options);
  return taken(r, r.rank, verify, checked([&](const Context& ctx, const Graph& graph) {
                 verify_pagerank(ctx, graph, options, r);
               }));
}

/// The first `count` of the GPUs that --device names.
std::string first_gpus(const std::string& named, int count) {
  const std::vector<int> all = cuda_ordinals(named).value();
  return fmt::format("cuda:{}", fmt::join(all.begin(), all.begin() + count, ","));
}

ExecutionOptions options_for(const Command& c, const Place& place, bool trace) {
  ExecutionOptions o = c.execution;
  o.residency = place.residency;
  if (place.gpu)
    o.device = first_gpus(o.device, place.devices);
  else
    o.devices = place.devices;
  if (place.deals_pages()) o.strategy = "p";
  o.host_memory = place.host_memory;
  o.device_memory = place.device_memory;
  o.cache = place.cache;
  o.io_depth = place.io_depth;
  o.technique = place.technique;
  o.page_move = place.page_move;
  if (place.storage != "ssds") o.ssd.clear();
  if (trace) o.trace = "kept in memory";
  return o;
}

std::string name_of(const Place& p) {
  return fmt::format("{}{} in {}", p.slotted ? "slotted pages" : "CSR",
                     p.devices > 1 ? fmt::format(" on {} devices", p.devices) : "", p.storage);
}

Json row_of(const GraphFiles& graph, const std::string& app, const Place& place,
            const Outcome& last, const Timing& timing) {
  const RunReport& run = last.report;
  const Traffic& link = run.link;
  const auto shown = link.cache_hits + link.cache_misses;
  const auto share = [](auto part, auto whole) {
    return whole > 0 ? Json(static_cast<double>(part) / static_cast<double>(whole)) : Json(nullptr);
  };
  const bool limited = place.host_memory != MemoryPool::kUnlimited;
  Json row = {{"app", app},
              {"scale", graph.scale},
              {"edge_factor", graph.edge_factor},
              {"storage", place.storage},
              {"layout", place.slotted ? "slotted" : "csr"},
              {"residency", place.residency},
              {"devices", std::max(1, place.devices)},
              {"strategy", place.deals_pages() ? Json("p") : Json(nullptr)},
              {"seconds", {{"median", timing.median()}, {"trials", timing.trials}}},
              {"iterations", run.iterations},
              {"edges", run.edges_traversed},
              {"mteps", static_cast<double>(run.edges_traversed) / timing.median() / 1e6},
              {"link_bytes", link.bytes},
              {"disk",
               {{"bytes", link.disk.bytes},
                {"requests", link.disk.requests},
                {"seconds_waited", link.disk.seconds_waited},
                {"gbps", static_cast<double>(link.disk.bytes) / run.seconds / 1e9}}},
              {"cache",
               {{"bytes", last.cache_bytes},
                {"hits", link.cache_hits},
                {"misses", link.cache_misses},
                {"hit_rate", share(link.cache_hits, shown)},
                {"share_of_pages",
                 shown > 0 ? Json(std::min(1., static_cast<double>(last.cache_bytes) /
                                                   static_cast<double>(graph.bytes(place.slotted))))
                           : Json(nullptr)}}},
              {"host_memory", limited ? Json(place.host_memory) : Json(nullptr)},
              {"peak_host_bytes", run.peak_host_bytes},
              {"peak_device_bytes", run.peak_device_bytes}};
  if (!place.technique.empty()) row["technique"] = place.technique;
  return row;
}

}  // namespace

Outcome run_at(const Command& c, const GraphFiles& graph, const std::string& app,
               const Place& place, Session& session, bool trace) {
  const Task task = session.task(c.quiet || c.json);
  const LoadedGraph loaded(place.slotted ? graph.slotted : graph.csr, options_for(c, place, trace),
                           task);
  if (!place.from_disk()) run_once(c, app, loaded, graph.source, false);
  const double begin = trace ? end_of(*loaded.trace()) : 0;
  Outcome outcome = run_once(c, app, loaded, graph.source, c.verify);
  outcome.cache_bytes = loaded.graph().cache_bytes();
  if (trace) read_trace(*loaded.trace(), begin, outcome);
  return outcome;
}

void check_agreement(const std::string& app, const Outcome& a, const Outcome& b,
                     const std::string& where) {
  double sum = 0, difference = 0;
  bool same = a.values.size() == b.values.size();
  for (std::size_t v = 0; same && v < a.values.size(); ++v) {
    if (a.values[v] == b.values[v]) continue;  // infinities too
    difference += std::abs(a.values[v] - b.values[v]);
  }
  for (const double value : a.values) sum += std::isfinite(value) ? std::abs(value) : 0;
  const double allowed = app == "pagerank" || app == "bc" ? kRoundingShare * sum : 0;
  same = same && difference <= allowed;
  if (!same)
    throw Error(ErrorCode::VerificationFailed,
                fmt::format("{} of {} differs from what it is elsewhere: by {} in all, expected at "
                            "most {}",
                            app, where, difference, allowed));
}

Json measure_at(const Command& c, const GraphFiles& graph, const std::string& app,
                const std::vector<Place>& at, Session& session, Json& left_out) {
  std::vector<Timing> timing(at.size());
  std::vector<std::optional<Outcome>> last(at.size());
  std::vector<bool> fits(at.size(), true);
  std::optional<Outcome> first;
  for (int t = 0; t < c.trials; ++t) {
    for (std::size_t i = 0; i < at.size(); ++i) {
      if (!fits[i]) continue;
      try {
        Outcome outcome = run_at(c, graph, app, at[i], session);
        timing[i].trials.push_back(outcome.report.seconds);
        if (first)
          check_agreement(app, *first, outcome, name_of(at[i]));
        else
          first = outcome;
        outcome.values.clear();
        last[i] = std::move(outcome);
      } catch (const Error& e) {
        if (e.code() != ErrorCode::DoesNotFit) throw;
        fits[i] = false;
        left_out.push_back(
            fmt::format("{} of scale {}, {}: {}", app, graph.scale, name_of(at[i]), e.what()));
      }
    }
  }
  Json rows = Json::array();
  for (std::size_t i = 0; i < at.size(); ++i)
    if (fits[i]) rows.push_back(row_of(graph, app, at[i], *last[i], timing[i]));
  return rows;
}

Json measure(const Command& c, const GraphFiles& graph, const std::vector<std::string>& apps,
             bool all, Session& session, Json& left_out) {
  Json rows = Json::array();
  for (const std::string& app : apps)
    for (Json& row : measure_at(c, graph, app, places(c, graph, app, all), session, left_out))
      rows.push_back(std::move(row));
  return rows;
}

}  // namespace fathom::cli::gts
