// Runs the algorithms on graphs made for it, as their descriptions say (MeasuredRun). The faster of
// two runs counts: other programs only ever add to a time. By how much the very first is slower is
// kept for GPUs.
#include <algorithm>
#include <array>

#include "fathom/algorithms/described/planned.hpp"
#include "fathom/core/error.hpp"
#include "fathom/core/units.hpp"
#include "fathom/plan/rates.hpp"

namespace fathom::plan {
namespace {

constexpr int kRuns = 2;
// A run that is expected to take longer, from one of a smaller graph, is left out; one that took
// longer than the second of these is not repeated.
struct Limits {
  double longest, repeated;
};
// Those of which larger graphs are measured as well: what most programs ask for.
constexpr Limits kOfCommon{1.5, 1.5}, kOriented{1.5, .03};
constexpr Limits kOfOthers{.5, .02}, kOfOthersStreamed{.1, .02};
constexpr std::array<std::string_view, 6> kCommon = {"pagerank", "bfs", "sssp",
                                                     "cc",       "tc",  "kcore"};
constexpr int kLargestScaleOfOthers = 17;
// Grids have more vertices, for they have fewer edges.
constexpr int kMoreScalesOfGrids = 2;
// Of one run more edges cost more each, at most by so much: expectations are at least as long.
constexpr double kGrowth = 1.5;
constexpr std::uint32_t kSomeSweeps =
    3;  // of graphs that are too large for all; the first warms up

struct TestGraph {
  graph::BuiltGraph built;
  bool directed = false;
  bool large = false;  // too large for others than the common ones
  VertexId source = 0;
  double two_paths = 0;

  CsrView out() const { return built.out.view(); }
  Graph place(const Context& ctx, bool streamed) const {
    ResidencyOptions residency;
    if (ctx.on_gpu()) residency.kind = ResidencyOptions::Kind::Resident;
    if (streamed) residency.kind = ResidencyOptions::Kind::Stream;
    const std::optional<CsrView> in = built.in ? std::optional(built.in->view()) : std::nullopt;
    return make_graph(ctx, out(), in ? &*in : nullptr, directed, residency);
  }
};

/// What is measured at each scale: generated edges per vertex, twice as many in both directions.
struct Model {
  Likeness like;
  generate::Kind kind;
  std::uint32_t edge_factor;  // 0: as the kind has it
  bool directed = false;
};
constexpr std::array kModels = {Model{Likeness::Rmat, generate::Kind::Rmat, 4},
                                Model{Likeness::Rmat, generate::Kind::Rmat, 16},
                                Model{Likeness::Uniform, generate::Kind::Uniform, 4},
                                Model{Likeness::Uniform, generate::Kind::Uniform, 16},
                                Model{Likeness::Grid, generate::Kind::Grid, 0},
                                Model{Likeness::Rmat, generate::Kind::Rmat, 16, true},
                                Model{Likeness::Uniform, generate::Kind::Uniform, 16, true}};

TestGraph make(const Model& model, int scale, const Context& ctx) {
  generate::Spec spec;
  spec.kind = model.kind;
  if (model.edge_factor > 0) {
    spec.scale = scale;
    spec.edge_factor = model.edge_factor;
  } else {
    const int its = scale + kMoreScalesOfGrids;
    spec.rows = VertexId{1} << (its / 2);
    spec.columns = VertexId{1} << (its - its / 2);
  }
  spec.weights = generate::WeightRange{};
  const generate::Generator generator(spec);
  graph::BuildOptions options;
  options.undirected = !model.directed;
  options.in_edges = model.directed;
  options.duplicates = graph::Duplicates::Keep;
  options.weighted = true;
  options.threads = ctx.threads();
  options.task = ctx.task();
  TestGraph graph;
  graph.directed = model.directed;
  graph.large = scale > kLargestScaleOfOthers;
  graph.built = graph::build(
      generator.vertices(),
      [&](const auto& consume) {
        constexpr EdgeId kBatch = EdgeId{1} << 20;
        std::vector<Edge> edge(kBatch);
        std::vector<Weight> weight(kBatch);
        for (EdgeId first = 0; first < generator.edges(); first += kBatch) {
          const auto count = static_cast<std::size_t>(std::min(kBatch, generator.edges() - first));
          const std::span<Edge> edges(edge.data(), count);
          const std::span<Weight> weights(weight.data(), count);
          generator.fill(first, edges, weights);
          consume(edges, weights);
        }
      },
      options);
  const auto offsets = [](const CsrView& view) {
    return std::span<const EdgeId>{view.offset, view.vertices + std::size_t{1}};
  };
  graph.source = longest_list(offsets(graph.out()));
  graph.two_paths =
      two_paths_of(offsets(graph.out()),
                   graph.built.in ? offsets(graph.built.in->view()) : std::span<const EdgeId>{});
  return graph;
}

/// One of the runs that are measured, as a description says it.
class Run {
 public:
  Run(const Algorithm& algorithm, const MeasuredRun& its) : algorithm_(algorithm), its_(its) {}

  std::string_view rate() const { return its_.rate; }
  bool common() const { return std::ranges::find(kCommon, its_.rate) != kCommon.end(); }
  bool reads_oriented() const { return algorithm_.reads_oriented; }
  const Limits& limits(bool streamed) const {
    if (!common()) return streamed ? kOfOthersStreamed : kOfOthers;
    return algorithm_.reads_oriented ? kOriented : kOfCommon;
  }

  Reads reads_of(const TestGraph& test) const {
    const Algorithm::Where where{.vertices = test.out().vertices,
                                 .edges = test.out().edges,
                                 .directed = test.directed,
                                 .weighted = true,
                                 .two_paths = test.two_paths};
    return algorithm_.reads ? algorithm_.reads(where, chosen()) : Reads();
  }

  /// Whether it says anything of times of graphs like this one.
  bool says(const TestGraph& test) const {
    const Reads reads = reads_of(test);
    return reads.kind != Reads::Kind::Unknown && (reads.rate.empty() || reads.rate == its_.rate);
  }

  /// Seconds of the work (of Sweeps a superstep's), and of the whole.
  struct Times {
    double work = 0, run = 0;
    std::uint64_t supersteps = 0;  // 0: not known
  };
  /// Nothing: the algorithm does not take such graphs.
  std::optional<Times> time(const Context& ctx, const Graph& graph, const TestGraph& test) const {
    OptionValues values = chosen();
    values.columns = false;
    const Reads reads = reads_of(test);
    const bool sweeps = reads.kind == Reads::Kind::Sweeps;
    const bool some = sweeps && test.large;
    if (some) values.set_count("max-iter", kSomeSweeps);
    for (const OptionInfo& info : algorithm_.options)
      if (info.required)
        values.set_vertices(info.name, {{std::to_string(test.source)}, {test.source}});
    try {
      const RunReport report = algorithm_.run(ctx, graph, values).report;
      Times times{report.seconds, report.seconds, 0};
      if (!sweeps) return times;
      // As many as plans reckon with, which count reads of all edges.
      const bool known = reads.least == reads.most;
      const auto supersteps =
          known ? static_cast<std::uint64_t>(reads.least) : std::uint64_t{report.iterations};
      if (!some) times.supersteps = supersteps;
      times.work /= static_cast<double>(std::max<std::uint64_t>(1, supersteps));
      for (const Superstep& step : report.supersteps)
        if (some) times.work = std::min(times.work, step.seconds);
      return times;
    } catch (const Error& error) {
      if (error.code() != ErrorCode::Usage) throw;
      return std::nullopt;  // of directed graphs alone, or of others
    }
  }

 private:
  OptionValues chosen() const {
    OptionValues values(algorithm_.options);
    if (its_.choose) its_.choose(values);
    return values;
  }
  const Algorithm& algorithm_;
  MeasuredRun its_;
};

std::vector<Run> measured_runs() {
  std::vector<Run> runs;
  for (const Algorithm* const algorithm : planned_descriptions()) {
    if (algorithm->measured.empty()) runs.emplace_back(*algorithm, MeasuredRun{algorithm->name});
    for (const MeasuredRun& its : algorithm->measured) runs.emplace_back(*algorithm, its);
  }
  return runs;
}

/// Puts together the rates of one context.
class Measuring {
 public:
  Measuring(const Context& ctx, MachineRates& rates)
      : ctx_(ctx), rates_(rates), runs_(measured_runs()) {}

  void measure(const TestGraph& test, const Model& model) {
    if (test.out().edges == 0) return;
    for (const bool streamed : {false, true}) {
      const Graph graph = test.place(ctx_, streamed);
      for (const Run& run : runs_) {
        if (!run.common() && test.large) continue;
        if (run.says(test)) measure(run, test, graph, model, streamed);
      }
    }
  }

 private:
  void measure(const Run& run, const TestGraph& test, const Graph& graph, const Model& model,
               bool streamed) {
    WorkRate row;
    row.algorithm = run.rate();
    row.streamed = streamed;
    row.graph = model.like;
    row.directed = model.directed;
    row.vertices = test.out().vertices;
    row.edges = test.out().edges;
    if (run.reads_of(test).by_two_paths) row.two_paths = test.two_paths;
    if (expected(row) * run.reads_of(test).least_work > run.limits(streamed).longest) return;
    // On a handle of its own: what it makes of the lists is not made again. Degree-oriented lists
    // are part of the work.
    const auto on_its_own = [&] { return run.time(ctx_, test.place(ctx_, streamed), test); };
    const auto once = [&] {
      return run.reads_oriented() ? on_its_own() : run.time(ctx_, graph, test);
    };
    double first = 0;
    if (ctx_.on_gpu() && !was_run(row))
      if (const auto times = on_its_own()) first = times->run;
    auto best = once();
    if (!best) return;
    for (int i = 1; i < kRuns && best->run < run.limits(streamed).repeated; ++i) {
      const auto next = once();
      best->work = std::min(best->work, next->work);
      best->run = std::min(best->run, next->run);
    }
    if (first > best->run)
      rates_.first_runs.push_back({row.algorithm, streamed, first - best->run});
    row.supersteps = best->supersteps;
    row.seconds =
        std::max(best->work, 1e-9) / run.reads_of(test).least_work / static_cast<double>(row.edges);
    rates_.work.push_back(std::move(row));
  }

  bool was_run(const WorkRate& row) const {
    return std::ranges::any_of(rates_.work, [&](const WorkRate& before) {
      return before.algorithm == row.algorithm && before.streamed == row.streamed;
    });
  }

  /// Seconds, from a smaller graph that differs in nothing else; 0: there was none.
  double expected(const WorkRate& next) const {
    double seconds = 0;
    for (const WorkRate& row : rates_.work)
      if (row.algorithm == next.algorithm && row.streamed == next.streamed &&
          row.graph == next.graph && row.directed == next.directed &&
          row.edges / row.vertices == next.edges / next.vertices)
        seconds =
            row.seconds * kGrowth * static_cast<double>(row.edges) *
            (row.two_paths > 0 ? next.two_paths / row.two_paths
                               : static_cast<double>(next.edges) / static_cast<double>(row.edges)) *
            static_cast<double>(std::max<std::uint64_t>(1, row.supersteps));
    return seconds;
  }

  const Context& ctx_;
  MachineRates& rates_;
  std::vector<Run> runs_;
};

}  // namespace

std::vector<int> scales_for(const Context& ctx) {
  return ctx.on_gpu() ? std::vector{13, 17, 21} : std::vector{10, 13, 16, 19};
}

MachineRates measure_rates(const Context& ctx, double disk, const std::vector<int>& scales) {
  if (scales.empty() || !std::is_sorted(scales.begin(), scales.end()))
    throw Error(ErrorCode::Usage, "rates are measured at ascending scales, one at least");
  MachineRates rates;
  rates.device = ctx.device_name();
  rates.threads = threads_of_rates(ctx);
  rates.disk = disk;
  Measuring measuring(ctx, rates);
  std::uint64_t done = 0;
  ctx.task().begin("measuring this machine", scales.size() * kModels.size(), "graphs");
  for (const int scale : scales)
    for (const Model& model : kModels) {
      if (!model.directed || scale <= kLargestScaleOfOthers)
        measuring.measure(make(model, scale, ctx), model);
      ctx.task().at(++done);
    }
  ctx.task().end();
  rates.measured = utc_time();
  return rates;
}

}  // namespace fathom::plan
