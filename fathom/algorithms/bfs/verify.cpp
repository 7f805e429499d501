// The certificate of a breadth-first search: the conditions that make depths distances.
#include <algorithm>
#include <string>
#include <vector>

#include "fathom/algorithms/bfs/bfs.hpp"
#include "fathom/algorithms/bfs/levels_certificate.hpp"
#include "fathom/algorithms/certificate.hpp"
#include "fathom/ops/advance.hpp"
#include "fathom/ops/compute.hpp"

namespace fathom {
namespace {

/// Looks at every edge (u, v) with u reached: v is at most one level below u, and when it is
/// exactly that, u is a witness that v can be reached so.
struct CheckEdge {
  const std::uint32_t* depth;
  const VertexId* parent;  // null: any in-neighbour may be the witness
  std::uint32_t limit;
  std::uint32_t* witnessed;
  Rule::Ref skipped;

  FATHOM_HD bool visit(VertexId u, VertexId v, Weight) const {
    if (depth[u] == kUnreached || depth[u] >= limit) return false;
    if (depth[v] == kUnreached || depth[v] > depth[u] + 1) skipped.broken_by(v);
    if (depth[v] == depth[u] + 1 && (!parent || parent[v] == u)) AtomicRef(witnessed[v]).store(1);
    return false;
  }
};

/// What can be said of each vertex alone.
void check_vertices(VertexId n, const BfsClaim& claim, const std::string& name) {
  const auto refuse = [&](VertexId v, const std::string& what) {
    throw Error(ErrorCode::VerificationFailed, name + ": vertex " + std::to_string(v) + " " + what);
  };
  const bool parents = !claim.parent.empty();
  std::vector<bool> is_source(n, false);
  for (const VertexId s : claim.sources) is_source[s] = true;
  VertexId reached = 0;
  for (VertexId v = 0; v < n; ++v) {
    const std::uint32_t depth = claim.depth[v];
    if ((depth == 0) != is_source[v])
      refuse(v, is_source[v] ? "is a source but not at depth 0" : "is at depth 0 but no source");
    if (depth != kUnreached && depth > claim.depth_limit) refuse(v, "lies beyond the depth limit");
    if (parents && (claim.parent[v] == kNoVertex) != (depth == kUnreached))
      refuse(v, "is reached without a parent, or has one without being reached");
    if (parents && is_source[v] && claim.parent[v] != v)
      refuse(v, "is a source but not its own parent");
    reached += depth != kUnreached ? 1 : 0;
  }
  if (reached != claim.reached)
    throw Error(ErrorCode::VerificationFailed, name + ": " + std::to_string(reached) +
                                                   " vertices have a depth, but " +
                                                   std::to_string(claim.reached) + " were counted");
}

}  // namespace

void check_bfs_claim(const Context& ctx, const Graph& graph, const BfsClaim& claim,
                     const std::string& name) {
  const VertexId n = graph.vertices();
  check_vertices(n, claim, name);

  const bool parents = !claim.parent.empty();
  VertexArray<std::uint32_t> depth(ctx, n);
  depth.assign(claim.depth);
  VertexArray<VertexId> parent(ctx, parents ? n : 0);
  parent.assign(claim.parent);
  VertexArray<std::uint32_t, MergeOr> witnessed(ctx, n, 0);
  Rule skipped(ctx), unwitnessed(ctx);

  Frontier all(ctx, n);
  all.fill();
  advance(ctx, graph.out(), all, nullptr, [&](const Device& d) {
    return CheckEdge{depth.on(d), parents ? parent.on(d) : nullptr, claim.depth_limit,
                     witnessed.on(d), skipped.on(d)};
  });
  merge(witnessed);
  skipped.check(name, "lies more than one level below an in-neighbour");

  compute(ctx, n, [&](const Device& d) {
    return [depths = depth.on(d), seen = witnessed.on(d), rule = unwitnessed.on(d)](VertexId v) {
      if (depths[v] != 0 && depths[v] != kUnreached && seen[v] == 0) rule.broken_by(v);
    };
  });
  unwitnessed.check(name, parents ? "has no edge from its parent one level above"
                                  : "has no in-neighbour one level above");
  std::uint32_t max_depth = 0;
  for (const std::uint32_t d : claim.depth)
    if (d != kUnreached) max_depth = std::max(max_depth, d);
  if (max_depth != claim.max_depth)
    throw Error(ErrorCode::VerificationFailed, name + ": the greatest depth is " +
                                                   std::to_string(max_depth) + ", not " +
                                                   std::to_string(claim.max_depth));
}

void verify_bfs(const Context& ctx, const Graph& graph, std::span<const VertexId> sources,
                const BfsOptions& options, const BfsResult& result) {
  const VertexId n = graph.vertices();
  if (result.depth.size() != n || (options.parents && result.parent.size() != n))
    throw Error(ErrorCode::VerificationFailed, "bfs: the result has the wrong number of vertices");
  const auto parents = options.parents ? result.parent.span() : std::span<const VertexId>();
  check_bfs_claim(
      ctx, graph,
      {sources, result.depth, parents, result.reached, result.max_depth, options.depth_limit},
      "bfs");
}

}  // namespace fathom
