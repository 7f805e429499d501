#include "fathom/algorithms/subgraph/cross_edges.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

#include "fathom/algorithms/certificate.hpp"
#include "fathom/algorithms/state_sizes.hpp"
#include "fathom/algorithms/subgraph/edge_collector.hpp"
#include "fathom/core/random.hpp"
#include "fathom/residency/run_lists.hpp"

namespace fathom {
namespace {

void check_arguments(const Graph& graph, std::span<const std::uint32_t> set) {
  if (set.size() != graph.vertices())
    throw Error(ErrorCode::Usage, "cross edges: " + std::to_string(set.size()) + " sets for " +
                                      std::to_string(graph.vertices()) + " vertices");
}

FATHOM_HD std::uint64_t key_of(std::uint32_t from, std::uint32_t to) {
  return std::uint64_t{from} << 32 | to;
}

/// Adds up a hash of the pair of sets of each edge between two.
struct HashAcross {
  AcrossSets across;
  EdgeId* count;
  std::uint64_t* hash;

  bool visit(VertexId u, VertexId v, Weight) const {
    if (across.set[u] == kNoSet || !across(u, v)) return false;
    AtomicRef(count[u]).fetch_add(EdgeId{1});
    AtomicRef(hash[u]).fetch_add(mix64(key_of(across.set[u], across.set[v])));
    return false;
  }
};

}  // namespace

CrossEdgesResult cross_edges(const Context& ctx, const Graph& graph,
                             std::span<const std::uint32_t> set, const CrossEdgeConsumer& consume) {
  check_arguments(graph, set);
  const VertexId n = graph.vertices();
  const RunLists lists(ctx, cross_edges_state(), {{graph.out()}});
  Recorder record(ctx, graph.traffic());
  VertexArray<std::uint32_t> sets(ctx, n);
  sets.assign(set);
  std::vector<VertexId> members;
  for (VertexId v = 0; v < n; ++v)
    if (set[v] != kNoSet) members.push_back(v);
  Frontier in_sets(ctx, n);
  in_sets.assign(members);
  const auto across = [&](const Device& d) { return AcrossSets{sets.on(d), !graph.directed()}; };
  EdgeCollector collector(ctx, graph, in_sets, across, record);

  CrossEdgesResult result;
  std::unordered_map<std::uint64_t, EdgeId> count;
  const auto add = [&](VertexId u, std::span<const VertexId> targets,
                       std::span<const Weight> weights) {
    for (std::size_t i = 0; i < targets.size(); ++i) {
      ++count[key_of(set[u], set[targets[i]])];
      if (consume) consume(u, targets[i], weights.empty() ? Weight{1} : weights[i]);
    }
  };
  collector.collect(add);
  result.edges = collector.total();
  for (const auto& [key, edges] : count)
    result.pairs.push_back(
        {static_cast<std::uint32_t>(key >> 32), static_cast<std::uint32_t>(key), edges});
  std::sort(result.pairs.begin(), result.pairs.end(), [](const SetPair& a, const SetPair& b) {
    return key_of(a.from, a.to) < key_of(b.from, b.to);
  });
  result.report = record.finish();
  return result;
}

void verify_cross_edges(const Context& ctx, const Graph& graph, std::span<const std::uint32_t> set,
                        const CrossEdgesResult& result) {
  check_arguments(graph, set);
  const VertexId n = graph.vertices();
  const auto refute = [](const std::string& what) {
    throw Error(ErrorCode::VerificationFailed, "cross edges: " + what);
  };
  VertexArray<std::uint32_t> sets(ctx, n);
  sets.assign(set);
  VertexArray<EdgeId, MergeSum> count(ctx, n, 0);
  VertexArray<std::uint64_t, MergeSum> hash(ctx, n, 0);
  Frontier all(ctx, n);
  all.fill();
  advance(ctx, graph.out(), all, nullptr, [&](const Device& d) {
    return HashAcross{{sets.on(d), !graph.directed()}, count.on(d), hash.on(d)};
  });
  merge(count, hash);
  EdgeId edges = 0, reported = 0;
  std::uint64_t sum = 0, reported_sum = 0;
  for (const EdgeId c : std::move(count).take()) edges += c;
  for (const std::uint64_t h : std::move(hash).take()) sum += h;
  for (const SetPair& pair : result.pairs) {
    if (pair.edges == 0 || pair.from == pair.to) refute("a pair has no edges or is of one set");
    reported += pair.edges;
    reported_sum += pair.edges * mix64(key_of(pair.from, pair.to));
  }
  if (edges != result.edges || edges != reported)
    refute(std::to_string(edges) + " edges are between sets, not " +
           std::to_string(reported != edges ? reported : result.edges));
  if (sum != reported_sum) refute("edges are counted for the wrong pairs of sets");
}

}  // namespace fathom
