// The certificate of estimated radii.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "fathom/algorithms/bfs/bfs.hpp"
#include "fathom/algorithms/certificate.hpp"
#include "fathom/algorithms/radius/functors.hpp"
#include "fathom/algorithms/radius/parts.hpp"
#include "fathom/algorithms/radius/radius.hpp"
#include "fathom/algorithms/refute.hpp"
#include "fathom/ops/compute.hpp"
#include "fathom/ops/gather.hpp"

namespace fathom {
namespace {

constexpr VertexId kSearches = 8;

/// The farthest that a vertex can learn of: one hop more than any of its neighbours.
struct FarthestOfNeighbours {
  const std::uint32_t* farthest;
  std::uint32_t* reach;

  using Value = std::uint32_t;
  FATHOM_HD Value identity() const { return 0; }
  FATHOM_HD Value map(VertexId, VertexId v, Weight) const { return farthest[v] + 1; }
  FATHOM_HD Value combine(Value a, Value b) const { return a > b ? a : b; }
  FATHOM_HD bool commit(VertexId u, Value most) const {
    reach[u] = combine(reach[u], most);
    return false;
  }
};

struct MergeMax {
  std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const { return a > b ? a : b; }
};

void check_all(const Context& ctx, const Graph& graph, const RadiusResult& result) {
  const VertexId n = graph.vertices();
  VertexArray<std::uint32_t> farthest(ctx, n);
  VertexArray<std::uint32_t, MergeMax> reach(ctx, n, 0);
  farthest.assign(result.farthest);
  Frontier all(ctx, n);
  all.fill();
  gather(ctx, graph.out(), all, nullptr, [&](const Device& d) {
    return FarthestOfNeighbours{farthest.on(d), reach.on(d)};
  });
  merge(reach);
  Rule unexplained(ctx);
  compute(ctx, n, [&](const Device& d) {
    return [farthest = farthest.on(d), reach = reach.on(d),
            unexplained = unexplained.on(d)](VertexId v) {
      if (farthest[v] > reach[v]) unexplained.broken_by(v);
    };
  });
  unexplained.check("radius", "reaches more than a hop farther than its neighbours");
}

void check_summary(const RadiusOptions& options, const RadiusResult& result) {
  std::uint32_t diameter = 0;
  for (std::size_t v = 0; v < result.farthest.size(); ++v) {
    diameter = std::max(diameter, result.farthest[v]);
    if (result.effective_radius[v] > result.farthest[v])
      refute("radius",
             "vertex " + std::to_string(v) + " has an effective radius beyond what it reaches");
  }
  if (diameter != result.diameter)
    refute("radius", "the farthest that any vertex reaches is " + std::to_string(diameter) +
                         ", not " + std::to_string(result.diameter));
  if (result.pairs.size() != std::size_t{diameter} + 1 ||
      !std::is_sorted(result.pairs.begin(), result.pairs.end()) ||
      result.pairs.front() != static_cast<double>(result.farthest.size()))
    refute("radius", "the numbers of pairs do not ascend, hop by hop, from the number of vertices");
  if (effective_diameter(result.pairs, options.quantile) != result.effective_diameter)
    refute("radius", "the effective diameter does not follow from the numbers of pairs");
}

/// The sketches of a vertex after each hop, from the depths of a search.
void check_vertex(const Context& ctx, const Graph& graph, const RadiusOptions& options,
                  const RadiusResult& result, VertexId source) {
  BfsOptions limited;
  limited.depth_limit = options.max_hops;
  const BfsResult search = bfs(ctx, graph, {&source, 1}, limited);
  const std::size_t words = options.sketches / 2;
  std::vector<std::uint64_t> rows((search.max_depth + std::size_t{1}) * words, 0);
  const RandomStream random(options.seed, 0);
  for (VertexId v = 0; v < graph.vertices(); ++v) {
    if (search.depth[v] == kUnreached) continue;
    for (std::uint32_t k = 0; k < options.sketches; ++k)
      rows[search.depth[v] * words + k / 2] |= std::uint64_t{sketch_mark(random, v, k)}
                                               << (k % 2 * 32);
  }
  std::vector<std::uint32_t> score(search.max_depth + std::size_t{1}, 0);
  std::uint32_t farthest = 0;
  for (std::uint32_t h = 0; h <= search.max_depth; ++h)
    for (std::size_t i = 0; i < words; ++i) {
      std::uint64_t& row = rows[h * words + i];
      if (h > 0) {
        const std::uint64_t before = rows[(h - 1) * words + i];
        if ((row & ~before) != 0) farthest = h;
        row |= before;
      }
      score[h] += sketch_score(row);
    }
  std::uint32_t radius = 0;
  while (score[radius] + score_slack(options) < score.back()) ++radius;
  const std::string vertex = "vertex " + std::to_string(source);
  if (farthest != result.farthest[source])
    refute("radius", vertex + " leaves its last trace after " + std::to_string(farthest) +
                         " hops, not " + std::to_string(result.farthest[source]));
  if (radius != result.effective_radius[source])
    refute("radius", vertex + " has the effective radius " + std::to_string(radius) + ", not " +
                         std::to_string(result.effective_radius[source]));
}

}  // namespace

void verify_radius(const Context& ctx, const Graph& graph, const RadiusOptions& options,
                   const RadiusResult& result) {
  const VertexId n = graph.vertices();
  if (result.farthest.size() != n || result.effective_radius.size() != n)
    refute("radius", "not one radius per vertex");
  if (n == 0) return;
  check_summary(options, result);
  check_all(ctx, graph, result);
  const RandomStream random(options.seed, 1);
  for (VertexId i = 0; i < std::min(n, kSearches); ++i)
    check_vertex(ctx, graph, options, result,
                 n <= kSearches ? i : static_cast<VertexId>(bounded(random.at(i), n)));
}

}  // namespace fathom
