// Runs the algorithms on graphs made for it. The faster of two runs counts: other programs only
// ever add to a time. By how much the very first is slower is kept for GPUs.
#include <algorithm>
#include <array>

#include "fathom/algorithms/bfs/bfs.hpp"
#include "fathom/algorithms/components/components.hpp"
#include "fathom/algorithms/kcore/kcore.hpp"
#include "fathom/algorithms/pagerank/pagerank.hpp"
#include "fathom/algorithms/sssp/sssp.hpp"
#include "fathom/algorithms/triangles/triangles.hpp"
#include "fathom/core/units.hpp"
#include "fathom/plan/rates.hpp"

namespace fathom::plan {
namespace {

constexpr int kRuns = 2;
// A run that is expected to take longer, from one of a smaller graph, is left out.
constexpr double kLongest = 1.5;
// Of one run more edges cost more each, at most by so much: expectations are at least as long.
constexpr double kGrowth = 1.5;
constexpr std::uint32_t kIterations = 3;  // of PageRank; the first one warms up

struct TestGraph {
  graph::BuiltGraph built;
  VertexId source = 0;
};

/// What is measured at each scale: generated edges per vertex, twice as many in both directions.
struct Model {
  Likeness like;
  generate::Kind kind;
  std::uint32_t edge_factor;  // 0: as the kind has it
};
constexpr std::array kModels = {Model{Likeness::Rmat, generate::Kind::Rmat, 4},
                                Model{Likeness::Rmat, generate::Kind::Rmat, 16},
                                Model{Likeness::Uniform, generate::Kind::Uniform, 4},
                                Model{Likeness::Uniform, generate::Kind::Uniform, 16},
                                Model{Likeness::Grid, generate::Kind::Grid, 0}};

TestGraph make(const Model& model, int scale, const Context& ctx) {
  generate::Spec spec;
  spec.kind = model.kind;
  if (model.edge_factor > 0) {
    spec.scale = scale;
    spec.edge_factor = model.edge_factor;
  } else {
    spec.rows = VertexId{1} << (scale / 2);
    spec.columns = VertexId{1} << (scale - scale / 2);
  }
  spec.weights = generate::WeightRange{};
  const generate::Generator generator(spec);
  graph::BuildOptions options;
  options.undirected = true;
  options.duplicates = graph::Duplicates::Keep;
  options.weighted = true;
  options.threads = ctx.threads();
  options.task = ctx.task();
  TestGraph graph;
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
  const CsrView view = graph.built.out.view();
  graph.source = longest_list({view.offset, view.vertices + std::size_t{1}});
  return graph;
}

struct Times {
  double work = 0;  // of a superstep of sweeps, else of the run
  double run = 0;
};
using Timed = Times (*)(const Context&, const Graph&, VertexId source);

Times of_run(const RunReport& report) {
  return {report.seconds, report.seconds};
}

Times time_pagerank(const Context& ctx, const Graph& graph, VertexId) {
  PagerankOptions options;
  options.max_iterations = kIterations;
  options.tolerance = 1e-6;
  const RunReport report = pagerank(ctx, graph, options).report;
  Times times = of_run(report);
  for (const Superstep& step : report.supersteps) times.work = std::min(times.work, step.seconds);
  return times;
}
Times time_bfs(const Context& ctx, const Graph& graph, VertexId source) {
  return of_run(bfs(ctx, graph, std::array{source}).report);
}
Times time_sssp(const Context& ctx, const Graph& graph, VertexId source) {
  return of_run(sssp(ctx, graph, source).report);
}
Times time_components(const Context& ctx, const Graph& graph, VertexId) {
  return of_run(connected_components(ctx, graph).report);
}
Times time_triangles(const Context& ctx, const Graph& graph, VertexId) {
  return of_run(count_triangles(ctx, graph).report);
}
Times time_kcore(const Context& ctx, const Graph& graph, VertexId) {
  return of_run(kcore(ctx, graph).report);
}

bool was_run(const MachineRates& rates, const WorkRate& row) {
  return std::ranges::any_of(rates.work, [&](const WorkRate& before) {
    return before.algorithm == row.algorithm && before.streamed == row.streamed;
  });
}

struct Measured {
  const char* algorithm;
  Timed time;
  int runs = kRuns;
};
// Triangles orient the lists once per handle: a second run would not.
constexpr std::array kMeasured = {
    Measured{"pagerank", time_pagerank}, Measured{"bfs", time_bfs},
    Measured{"sssp", time_sssp},         Measured{"cc", time_components},
    Measured{"tc", time_triangles, 1},   Measured{"kcore", time_kcore}};

}  // namespace

std::vector<int> scales_for(const Context& ctx) {
  return ctx.on_gpu() ? std::vector{13, 17, 21} : std::vector{13, 16, 19};
}

MachineRates measure_rates(const Context& ctx, double disk, const std::vector<int>& scales) {
  if (scales.empty() || !std::is_sorted(scales.begin(), scales.end()))
    throw Error(ErrorCode::Usage, "rates are measured at ascending scales, one at least");
  MachineRates rates;
  rates.device = ctx.device_name();
  rates.threads = threads_of_rates(ctx);
  rates.disk = disk;
  // Seconds, from a smaller graph that differs in nothing else; 0: there was none.
  const auto expected = [&](const WorkRate& next) {
    double seconds = 0;
    for (const WorkRate& row : rates.work)
      if (row.algorithm == next.algorithm && row.streamed == next.streamed &&
          row.graph == next.graph && row.edges / row.vertices == next.edges / next.vertices)
        seconds = row.seconds * static_cast<double>(next.edges) * kGrowth;
    return seconds;
  };
  std::uint64_t done = 0;
  ctx.task().begin("measuring this machine", scales.size() * kModels.size(), "graphs");
  for (const int scale : scales)
    for (const Model& model : kModels) {
      const TestGraph test = make(model, scale, ctx);
      const CsrView view = test.built.out.view();
      for (const bool streamed : {false, true}) {
        ResidencyOptions residency;
        residency.kind =
            streamed ? ResidencyOptions::Kind::Stream : ResidencyOptions::Kind::Resident;
        const auto handle = [&] { return make_graph(ctx, view, nullptr, false, residency); };
        const Graph graph = handle();
        for (const Measured& measured : kMeasured) {
          WorkRate row{measured.algorithm, streamed, model.like, view.vertices, view.edges};
          if (view.edges == 0 || expected(row) > kLongest) continue;
          // On a handle of its own: what it makes of the lists is not made again.
          const bool loads = ctx.on_gpu() && !was_run(rates, row);
          const double first = loads ? measured.time(ctx, handle(), test.source).run : 0;
          Times best = measured.time(ctx, graph, test.source);
          for (int run = 1; run < measured.runs; ++run) {
            const Times next = measured.time(ctx, graph, test.source);
            best = {std::min(best.work, next.work), std::min(best.run, next.run)};
          }
          if (first > best.run)
            rates.first_runs.push_back({row.algorithm, streamed, first - best.run});
          row.seconds = std::max(best.work, 1e-9) / static_cast<double>(view.edges);
          rates.work.push_back(std::move(row));
        }
      }
      ctx.task().at(++done);
    }
  ctx.task().end();
  rates.measured = utc_time();
  return rates;
}

}  // namespace fathom::plan
