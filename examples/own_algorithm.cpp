// An algorithm of your own: widest paths (how much fits through the best route from a source), as a
// functor of ten lines and a driver that reads like the textbook. It runs unchanged wherever the
// edges live; main() proves it on the host, streamed through few page frames, on two devices, and
// on a GPU where there is one.
#include <cmath>
#include <cstdio>
#include <vector>

#include <fathom/fathom.hpp>

#include "widest_paths.hpp"

using namespace fathom;

namespace {

Array<Weight> widest_paths(const Context& ctx, const Graph& graph, VertexId source) {
  VertexArray<Weight, MergeMax> width(ctx, graph.vertices(), 0);
  width.set(source, HUGE_VALF);
  Frontier now(ctx, graph.vertices()), next(ctx, graph.vertices());
  now.assign({&source, 1});
  while (!now.empty()) {
    // A vertex may be widened several times in one superstep: collect with Emit::Often.
    advance(
        ctx, graph.out(), now, &next, [&](const Device& d) { return Widen{width.on(d)}; },
        Emit::Often);
    merge(width);
    std::swap(now, next);
  }
  return std::move(width).take();
}

}  // namespace

int main() {
  // A road-like grid with random capacities, built in memory.
  generate::Spec spec;
  spec.kind = generate::Kind::Grid;
  spec.rows = 200;
  spec.columns = 300;
  spec.weights = generate::WeightRange{1, 100};
  const generate::Generator generator(spec);
  graph::BuildOptions options;
  options.undirected = true;
  options.weighted = true;
  const graph::BuiltGraph built = graph::build(
      generator.vertices(),
      [&](const auto& consume) {
        std::vector<Edge> edges(generator.edges());
        std::vector<Weight> weights(generator.edges());
        generator.fill(0, edges, weights);
        consume(edges, weights);
      },
      options);

  auto widths_on = [&](const Context& ctx, const ResidencyOptions& residency) {
    const Graph graph = make_graph(ctx, built.out.view(), nullptr, false, residency);
    const Array<Weight> result = widest_paths(ctx, graph, 0);
    return std::vector<Weight>(result.begin(), result.end());
  };
  auto widths = [&](int devices, ResidencyOptions::Kind kind, std::size_t frames) {
    CpuOptions cpu;
    cpu.devices = devices;
    ResidencyOptions residency;
    residency.kind = kind;
    residency.paging = {4096, frames};
    return widths_on(Context::cpu(cpu), residency);
  };
  using Kind = ResidencyOptions::Kind;
  const auto on_host = widths(0, Kind::Auto, 0);
  const auto streamed = widths(0, Kind::Stream, 20);
  const auto two_devices = widths(2, Kind::Stream, 10);

  std::printf("widest path to the far corner: %g\n", static_cast<double>(on_host.back()));
  bool same = on_host == streamed && on_host == two_devices;
  std::printf("host, streamed and two devices agree: %s\n", same ? "yes" : "NO");
  try {
    const Context gpu = Context::cuda();
    for (const Kind kind : {Kind::Resident, Kind::ZeroCopy}) {
      ResidencyOptions residency;
      residency.kind = kind;
      const bool agrees = on_host == widths_on(gpu, residency);
      std::printf("%s agrees: %s\n", gpu.device_name().c_str(), agrees ? "yes" : "NO");
      same = same && agrees;
    }
  } catch (const Error& e) {
    if (e.code() != ErrorCode::Device) throw;
    std::printf("no GPU: %s\n", e.what());
  }
  return same ? 0 : 1;
}
