// The certificate of a greedy colouring.
#include <algorithm>
#include <string>

#include "fathom/algorithms/certificate.hpp"
#include "fathom/algorithms/color/color.hpp"
#include "fathom/algorithms/color/functors.hpp"
#include "fathom/algorithms/refute.hpp"
#include "fathom/core/atomic.hpp"
#include "fathom/ops/advance.hpp"
#include "fathom/ops/compute.hpp"

namespace fathom {
namespace {

/// Ends have different colours; each vertex notes the smaller ones, of a window, of neighbours that
/// go before it.
struct LookAtColors {
  const std::uint32_t* color;
  const std::uint32_t* key;
  std::uint64_t* seen;
  std::uint32_t base;
  Rule::Ref clash;

  FATHOM_HD bool visit(VertexId u, VertexId v, Weight) const {
    if (u == v) return false;
    if (color[u] == color[v]) clash.broken_by(u < v ? u : v);
    goes_before(key, u, v) ? see(v, u) : see(u, v);
    return false;
  }
  FATHOM_HD void see(VertexId later, VertexId earlier) const {
    const std::uint64_t bit = color_bit(color[earlier], base);
    if (bit != 0) AtomicRef(seen[later]).fetch_or(bit);
  }
};

/// The bits of a window that are of smaller colours.
std::uint64_t smaller_colors(std::uint32_t color, std::uint32_t base) {
  if (color <= base) return 0;
  const std::uint32_t below = color - base;
  return below < kColorWindow ? (std::uint64_t{1} << below) - 1 : ~std::uint64_t{0};
}

void check_colors(const Graph& graph, const ColorResult& result) {
  if (result.color.size() != graph.vertices()) refute("color", "not one colour per vertex");
  std::uint64_t colors = 0;
  for (const std::uint32_t color : result.color)
    colors = std::max(colors, std::uint64_t{color} + 1);
  if (colors != result.colors)
    refute("color", "there are " + std::to_string(colors) + " colours, not " +
                        std::to_string(result.colors));
}

}  // namespace

void verify_color(const Context& ctx, const Graph& graph, const ColorOptions& options,
                  const ColorResult& result) {
  check_colors(graph, result);
  const VertexId n = graph.vertices();
  VertexArray<std::uint32_t> color(ctx, n);
  color.assign(result.color);
  VertexArray<std::uint32_t, MergeSum> key = detail::color_keys(ctx, graph, options);
  VertexArray<std::uint64_t, MergeOr> seen(ctx, n);
  Rule clash(ctx), gap(ctx);
  Frontier all(ctx, n), high(ctx, n);
  all.fill();
  // A vertex that has a colour without the smaller ones is found by the first window that it lacks
  // one of: no more windows than that are looked at.
  for (std::uint64_t first = 0; first < result.colors; first += kColorWindow) {
    const auto base = static_cast<std::uint32_t>(first);
    filter(ctx, all, high, [&](const Device& d) {
      return [color = color.on(d), base](VertexId v) { return color[v] >= base; };
    });
    seen.fill(0);
    advance(ctx, graph.out(), high, nullptr, [&](const Device& d) {
      return LookAtColors{color.on(d), key.on(d), seen.on(d), base, clash.on(d)};
    });
    merge(seen);
    compute(ctx, high, [&](const Device& d) {
      return [color = color.on(d), seen = seen.on(d), gap = gap.on(d), base](VertexId v) {
        const std::uint64_t wanted = smaller_colors(color[v], base);
        if ((seen[v] & wanted) != wanted) gap.broken_by(v);
      };
    });
    clash.check("color", "has the colour of a neighbour");
    gap.check("color", "could have a smaller colour: no neighbour that goes before it has that");
    ctx.task().check();
  }
}

}  // namespace fathom
