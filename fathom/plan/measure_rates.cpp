// Runs the algorithms on graphs made for it. The faster of two runs counts: other programs only
// ever add to a time.
#include <algorithm>
#include <array>

#include "fathom/algorithms/bfs/bfs.hpp"
#include "fathom/algorithms/components/components.hpp"
#include "fathom/algorithms/pagerank/pagerank.hpp"
#include "fathom/algorithms/sssp/sssp.hpp"
#include "fathom/core/units.hpp"
#include "fathom/plan/rates.hpp"

namespace fathom::plan {
namespace {

constexpr std::uint32_t kEdgeFactor = 8;  // generated; twice as many directed edges
constexpr int kRuns = 2;
constexpr std::uint32_t kIterations = 3;  // of PageRank; the first one warms up

struct TestGraph {
  graph::BuiltGraph built;
  VertexId source = 0;
};

TestGraph make(generate::Kind kind, int scale, const Context& ctx) {
  generate::Spec spec;
  spec.kind = kind;
  spec.scale = scale;
  spec.edge_factor = kEdgeFactor;
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

/// Seconds of a superstep, or of a run.
using Timed = double (*)(const Context&, const Graph&, VertexId source);

double time_pagerank(const Context& ctx, const Graph& graph, VertexId) {
  PagerankOptions options;
  options.max_iterations = kIterations;
  options.tolerance = 1e-6;
  const RunReport report = pagerank(ctx, graph, options).report;
  double best = report.supersteps.front().seconds;
  for (const Superstep& step : report.supersteps) best = std::min(best, step.seconds);
  return best;
}
double time_bfs(const Context& ctx, const Graph& graph, VertexId source) {
  return bfs(ctx, graph, std::array{source}).report.seconds;
}
double time_sssp(const Context& ctx, const Graph& graph, VertexId source) {
  return sssp(ctx, graph, source).report.seconds;
}
double time_components(const Context& ctx, const Graph& graph, VertexId) {
  return connected_components(ctx, graph).report.seconds;
}

struct Measured {
  const char* algorithm;
  Timed time;
};
constexpr std::array kMeasured = {Measured{"pagerank", time_pagerank}, Measured{"bfs", time_bfs},
                                  Measured{"sssp", time_sssp}, Measured{"cc", time_components}};

}  // namespace

MachineRates measure_rates(const Context& ctx, double disk, const std::vector<int>& scales) {
  if (scales.empty() || !std::is_sorted(scales.begin(), scales.end()))
    throw Error(ErrorCode::Usage, "rates are measured at ascending scales, one at least");
  MachineRates rates;
  rates.device = ctx.device_name();
  rates.threads = threads_of_rates(ctx);
  rates.disk = disk;
  const auto row_of = [&](const char* algorithm, bool streamed, VertexId vertices) -> WorkRate& {
    for (WorkRate& row : rates.work)
      if (row.algorithm == algorithm && row.streamed == streamed && row.vertices == vertices)
        return row;
    return rates.work.emplace_back(WorkRate{algorithm, streamed, vertices});
  };
  std::uint64_t done = 0;
  ctx.task().begin("measuring this machine", scales.size() * 2, "graphs");
  for (const int scale : scales)
    for (const auto kind : {generate::Kind::Rmat, generate::Kind::Uniform}) {
      const TestGraph test = make(kind, scale, ctx);
      const CsrView view = test.built.out.view();
      for (const bool streamed : {false, true}) {
        ResidencyOptions residency;
        residency.kind =
            streamed ? ResidencyOptions::Kind::Stream : ResidencyOptions::Kind::Resident;
        const Graph graph = make_graph(ctx, view, nullptr, false, residency);
        for (const Measured& measured : kMeasured) {
          double best = measured.time(ctx, graph, test.source);
          for (int run = 1; run < kRuns; ++run)
            best = std::min(best, measured.time(ctx, graph, test.source));
          WorkRate& row = row_of(measured.algorithm, streamed, view.vertices);
          (kind == generate::Kind::Rmat ? row.rmat : row.uniform) =
              std::max(best, 1e-9) / static_cast<double>(view.edges);
        }
      }
      ctx.task().at(++done);
    }
  ctx.task().end();
  rates.measured = utc_time();
  return rates;
}

}  // namespace fathom::plan
