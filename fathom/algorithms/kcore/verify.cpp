// The certificate of core numbers.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "fathom/algorithms/certificate.hpp"
#include "fathom/algorithms/kcore/kcore.hpp"
#include "fathom/algorithms/refute.hpp"
#include "fathom/core/atomic.hpp"
#include "fathom/ops/advance.hpp"
#include "fathom/ops/compute.hpp"

namespace fathom {
namespace {

/// Core numbers of the layers: [layer - 1]. Layers must be 1 to result.layers, none of them empty,
/// each of one core number, and these must not fall.
std::vector<std::uint32_t> cores_of_layers(const KcoreOptions& options, const KcoreResult& result) {
  std::vector<std::uint32_t> core(result.layers, kUnpeeled);
  std::uint32_t largest = 0;
  for (std::size_t v = 0; v < result.core.size(); ++v) {
    const std::uint32_t k = result.core[v], layer = result.layer[v];
    largest = std::max(largest, k);
    const std::string vertex = "vertex " + std::to_string(v);
    if (k > options.limit) refute("kcore", vertex + " has a core number above the limit");
    if ((layer == kUnpeeled) != (k == options.limit))
      refute("kcore", vertex + " has the core number " + std::to_string(k) + " and " +
                          (layer == kUnpeeled ? "no" : "a") + " layer");
    if (layer == kUnpeeled) continue;
    if (layer == 0 || layer > result.layers)
      refute("kcore", vertex + " is in layer " + std::to_string(layer) + " of " +
                          std::to_string(result.layers));
    if (core[layer - 1] != kUnpeeled && core[layer - 1] != k)
      refute("kcore", vertex + " has another core number than others of its layer");
    core[layer - 1] = k;
  }
  if (largest != result.degeneracy)
    refute("kcore", "the largest core number is " + std::to_string(largest) + ", not " +
                        std::to_string(result.degeneracy));
  for (std::size_t i = 0; i < core.size(); ++i) {
    if (core[i] == kUnpeeled) refute("kcore", "layer " + std::to_string(i + 1) + " is empty");
    if (i > 0 && core[i] < core[i - 1])
      refute("kcore", "core numbers fall after layer " + std::to_string(i));
  }
  return core;
}

/// Counts for each vertex its edges to others: of no smaller core number, of no earlier layer, and
/// of no layer before the preceding one.
struct CountEdges {
  const std::uint32_t* core;
  const std::uint32_t* layer;
  bool both_ends;
  std::uint32_t* inner;
  std::uint32_t* later;
  std::uint32_t* before;

  FATHOM_HD bool visit(VertexId u, VertexId v, Weight) const {
    if (u == v) return false;
    count(u, v);
    if (both_ends) count(v, u);
    return false;
  }
  FATHOM_HD void count(VertexId u, VertexId v) const {
    if (core[v] >= core[u]) AtomicRef(inner[u]).fetch_add(1u);
    if (layer[v] >= layer[u]) AtomicRef(later[u]).fetch_add(1u);
    if (layer[v] >= layer[u] - 1) AtomicRef(before[u]).fetch_add(1u);
  }
};

}  // namespace

void verify_kcore(const Context& ctx, const Graph& graph, const KcoreOptions& options,
                  const KcoreResult& result) {
  const VertexId n = graph.vertices();
  if (result.core.size() != n || result.layer.size() != n)
    refute("kcore", "not one core number and layer per vertex");
  const std::vector<std::uint32_t> of_layer = cores_of_layers(options, result);

  VertexArray<std::uint32_t> core(ctx, n), layer(ctx, n), threshold(ctx, n);
  core.assign(result.core);
  layer.assign(result.layer);
  {
    // What a vertex's degree must have exceeded one round before it was peeled.
    Array<std::uint32_t> preceding(n, 0, ctx.host_memory());
    for (VertexId v = 0; v < n; ++v)
      if (result.layer[v] != kUnpeeled && result.layer[v] > 1)
        preceding[v] = of_layer[result.layer[v] - 2];
    threshold.assign(std::as_const(preceding));
  }
  VertexArray<std::uint32_t, MergeSum> inner(ctx, n, 0), later(ctx, n, 0), before(ctx, n, 0);
  Frontier all(ctx, n);
  all.fill();
  advance(ctx, graph.out(), all, nullptr, [&](const Device& d) {
    return CountEdges{core.on(d),  layer.on(d), graph.directed(),
                      inner.on(d), later.on(d), before.on(d)};
  });
  merge(inner, later, before);

  Rule outside(ctx), too_low(ctx), late(ctx);
  compute(ctx, n, [&](const Device& d) {
    return [core = core.on(d), layer = layer.on(d), threshold = threshold.on(d),
            inner = inner.on(d), later = later.on(d), before = before.on(d),
            outside = outside.on(d), too_low = too_low.on(d), late = late.on(d)](VertexId v) {
      if (inner[v] < core[v]) outside.broken_by(v);
      if (layer[v] == kUnpeeled) return;
      if (later[v] > core[v]) too_low.broken_by(v);
      if (layer[v] > 1 && before[v] <= threshold[v]) late.broken_by(v);
    };
  });
  outside.check("kcore", "has too few neighbours of its core number or above");
  too_low.check("kcore", "was peeled while it had more edges than its core number");
  late.check("kcore", "could have been peeled one layer earlier");
}

}  // namespace fathom
