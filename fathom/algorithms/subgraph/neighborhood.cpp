#include "fathom/algorithms/subgraph/neighborhood.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "fathom/algorithms/bfs/functors.hpp"
#include "fathom/algorithms/certificate.hpp"
#include "fathom/algorithms/check_sources.hpp"
#include "fathom/algorithms/state_sizes.hpp"
#include "fathom/ops/advance.hpp"
#include "fathom/ops/compute.hpp"
#include "fathom/residency/run_lists.hpp"

namespace fathom {
namespace {

void check_arguments(const Graph& graph, std::span<const VertexId> sources,
                     const NeighborhoodOptions& options) {
  if (sources.empty()) throw Error(ErrorCode::Usage, "neighborhood needs at least one source");
  for (const VertexId s : sources)
    if (s >= graph.vertices())
      throw Error(ErrorCode::Usage, "source " + std::to_string(s) +
                                        " is out of range: the graph has " +
                                        std::to_string(graph.vertices()) + " vertices");
  if (options.hops == kUnreached)
    throw Error(ErrorCode::Usage, "neighborhood: expected fewer than 2^32 - 1 hops");
  if (graph.directed() && options.mode != EdgeMode::Out && !graph.has_in())
    throw Error(ErrorCode::Usage,
                "following edges against their direction needs in-edges, and the graph was stored "
                "without them");
}

/// Holds an edge against the hops of its ends.
struct CheckHops {
  const std::uint32_t* hops;
  std::uint32_t limit;
  bool forward, backward;
  std::uint32_t* explained;  // not 0: has a neighbour one hop nearer
  Rule::Ref skipped;

  FATHOM_HD bool visit(VertexId u, VertexId v, Weight) const {
    if (forward) follow(u, v);
    if (backward) follow(v, u);
    return false;
  }
  FATHOM_HD void follow(VertexId from, VertexId to) const {
    if (hops[from] >= limit) return;
    if (hops[to] > hops[from] + 1) skipped.broken_by(to);
    if (hops[to] == hops[from] + 1) AtomicRef(explained[to]).store(1);
  }
};

}  // namespace

NeighborhoodResult neighborhood(const Context& ctx, const Graph& graph,
                                std::span<const VertexId> sources,
                                const NeighborhoodOptions& options) {
  check_arguments(graph, sources, options);
  const bool use_out = !graph.directed() || options.mode != EdgeMode::In;
  const bool use_in = graph.directed() && options.mode != EdgeMode::Out;
  std::vector<RunLists::Lists> read;
  if (use_out) read.push_back({graph.out()});
  if (use_in) read.push_back({graph.in()});
  const RunLists lists(ctx, neighborhood_state(), read);
  const VertexId n = graph.vertices();
  Recorder record(ctx, graph.traffic());

  VertexArray<std::uint32_t, MergeMin> hops(ctx, n, kUnreached);
  const std::vector<VertexId> start = distinct(sources);
  for (const VertexId s : start) hops.set(s, 0);
  Frontier now(ctx, n), next(ctx, n), more(ctx, n);
  now.assign(start);
  NeighborhoodResult result;
  for (std::uint32_t hop = 0; !now.empty(); ++hop) {
    result.reached += now.size();
    result.farthest = hop;
    if (hop == options.hops) break;
    now.make_list();
    const auto reach = [&](const Device& d) { return BfsPush{hops.on(d), nullptr, hop + 1}; };
    EdgeId edges = 0;
    next.clear();
    if (use_out) {
      edges += graph.out().degree_sum(ctx, now);
      advance(ctx, graph.out(), now, &next, reach);
    }
    if (use_in) {
      edges += graph.in().degree_sum(ctx, now);
      advance(ctx, graph.in(), now, &more, reach);
      if (use_out)
        next.unite(more);
      else
        std::swap(next, more);
    }
    merge(hops);
    record.step(now.size(), edges, "push", graph.traffic());
    std::swap(now, next);
  }
  result.report = record.finish();
  result.hops = std::move(hops).take();
  return result;
}

void verify_neighborhood(const Context& ctx, const Graph& graph, std::span<const VertexId> sources,
                         const NeighborhoodOptions& options, const NeighborhoodResult& result) {
  const VertexId n = graph.vertices();
  const auto refute = [](const std::string& what) {
    throw Error(ErrorCode::VerificationFailed, "neighborhood: " + what);
  };
  if (result.hops.size() != n) refute("not one distance per vertex");
  VertexId reached = 0;
  std::uint32_t farthest = 0;
  const std::vector<VertexId> start = distinct(sources);
  for (VertexId v = 0; v < n; ++v) {
    const std::uint32_t hops = result.hops[v];
    if ((hops == 0) != std::binary_search(start.begin(), start.end(), v))
      refute("vertex " + std::to_string(v) +
             (hops == 0 ? " is at 0 hops and no source" : " is a source and not at 0 hops"));
    if (hops == kUnreached) continue;
    if (hops > options.hops) refute("vertex " + std::to_string(v) + " is beyond the limit");
    ++reached;
    farthest = std::max(farthest, hops);
  }
  if (reached != result.reached || farthest != result.farthest)
    refute("the summary does not fit the distances");

  VertexArray<std::uint32_t> hops(ctx, n);
  hops.assign(result.hops);
  VertexArray<std::uint32_t, MergeOr> explained(ctx, n, 0);
  Rule skipped(ctx), unexplained(ctx);
  Frontier all(ctx, n);
  all.fill();
  const bool forward = !graph.directed() || options.mode != EdgeMode::In;
  const bool backward = graph.directed() && options.mode != EdgeMode::Out;
  advance(ctx, graph.out(), all, nullptr, [&](const Device& d) {
    return CheckHops{hops.on(d), options.hops, forward, backward, explained.on(d), skipped.on(d)};
  });
  merge(explained);
  skipped.check("neighborhood", "is more than a hop behind a neighbour");
  compute(ctx, n, [&](const Device& d) {
    return [hops = hops.on(d), explained = explained.on(d),
            unexplained = unexplained.on(d)](VertexId v) {
      if (hops[v] != 0 && hops[v] != kUnreached && explained[v] == 0) unexplained.broken_by(v);
    };
  });
  unexplained.check("neighborhood", "has no neighbour one hop nearer");
}

}  // namespace fathom
