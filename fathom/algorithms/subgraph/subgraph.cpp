#include "fathom/algorithms/subgraph/subgraph.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "fathom/algorithms/state_sizes.hpp"
#include "fathom/algorithms/subgraph/edge_collector.hpp"
#include "fathom/residency/run_lists.hpp"

namespace fathom {
namespace {

std::vector<VertexId> members_of(const Graph& graph, std::span<const VertexId> vertices) {
  std::vector<VertexId> members(vertices.begin(), vertices.end());
  std::sort(members.begin(), members.end());
  members.erase(std::unique(members.begin(), members.end()), members.end());
  if (!members.empty() && members.back() >= graph.vertices())
    throw Error(ErrorCode::Usage, "subgraph: vertex " + std::to_string(members.back()) +
                                      " is out of range: the graph has " +
                                      std::to_string(graph.vertices()) + " vertices");
  return members;
}

std::vector<VertexId> reached(const NeighborhoodResult& around) {
  std::vector<VertexId> members;
  for (std::size_t v = 0; v < around.hops.size(); ++v)
    if (around.hops[v] != kUnreached) members.push_back(static_cast<VertexId>(v));
  return members;
}

/// The report of two runs, one after the other.
RunReport joined(const RunReport& a, const RunReport& b) {
  RunReport both = a;
  both.seconds += b.seconds;
  both.edges_traversed += b.edges_traversed;
  both.iterations += b.iterations;
  both.supersteps.insert(both.supersteps.end(), b.supersteps.begin(), b.supersteps.end());
  both.link = both.link + b.link;
  both.peak_device_bytes = std::max(a.peak_device_bytes, b.peak_device_bytes);
  both.peak_host_bytes = std::max(a.peak_host_bytes, b.peak_host_bytes);
  return both;
}

}  // namespace

SubgraphResult induced_subgraph(const Context& ctx, const Graph& graph,
                                std::span<const VertexId> vertices) {
  const std::vector<VertexId> members = members_of(graph, vertices);
  const VertexId n = graph.vertices();
  const RunLists lists(ctx, subgraph_state(), {{graph.out()}});
  Recorder record(ctx, graph.traffic());
  SubgraphResult result;
  result.vertices = Array<VertexId>::copy_of(members, ctx.host_memory());

  Frontier inside(ctx, n), bits(ctx, n);
  inside.assign(members);
  bits.assign(members);
  bits.make_bitmap();
  const auto both_inside = [&](const Device& d) { return InsideSet{bits.on(d).bits}; };
  EdgeCollector collector(ctx, graph, inside, both_inside, record);

  Array<VertexId> id(n, kNoVertex, ctx.host_memory());  // in the subgraph
  for (std::size_t i = 0; i < members.size(); ++i) id[members[i]] = static_cast<VertexId>(i);
  Csr& out = result.out;
  out.offset = Array<EdgeId>(members.size() + 1, 0, ctx.host_memory());
  out.target = Array<VertexId>(collector.total(), ctx.host_memory());
  out.weight = Array<Weight>(graph.weighted() ? collector.total() : 0, ctx.host_memory());
  for (std::size_t i = 0; i < members.size(); ++i)
    out.offset[i + 1] = out.offset[i] + collector.kept()[members[i]];
  const auto append = [&](VertexId u, std::span<const VertexId> targets,
                          std::span<const Weight> weights) {
    const EdgeId at = out.offset[id[u]];
    for (std::size_t i = 0; i < targets.size(); ++i) out.target[at + i] = id[targets[i]];
    std::copy(weights.begin(), weights.end(), out.weight.begin() + (weights.empty() ? 0 : at));
  };
  collector.collect(append);
  result.report = record.finish();
  return result;
}

EgonetResult egonet(const Context& ctx, const Graph& graph, std::span<const VertexId> sources,
                    const NeighborhoodOptions& options) {
  EgonetResult result;
  result.around = neighborhood(ctx, graph, sources, options);
  result.graph = induced_subgraph(ctx, graph, reached(result.around));
  result.report = joined(result.around.report, result.graph.report);
  return result;
}

void verify_egonet(const Context& ctx, const Graph& graph, std::span<const VertexId> sources,
                   const NeighborhoodOptions& options, const EgonetResult& result) {
  verify_neighborhood(ctx, graph, sources, options, result.around);
  verify_subgraph(ctx, graph, reached(result.around), result.graph);
}

}  // namespace fathom
