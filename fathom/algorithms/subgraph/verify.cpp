// The certificate of induced subgraphs.
#include <algorithm>
#include <bit>
#include <string>
#include <vector>

#include "fathom/algorithms/certificate.hpp"
#include "fathom/algorithms/refute.hpp"
#include "fathom/algorithms/subgraph/subgraph.hpp"
#include "fathom/core/random.hpp"
#include "fathom/ops/advance.hpp"

namespace fathom {
namespace {

std::uint64_t hash_of(VertexId v, Weight w) {
  return mix64(mix64(v + 1) + std::bit_cast<std::uint32_t>(w));
}

/// Counts and hashes the edges between members.
template <bool kWeighted>
struct HashInside {
  static constexpr bool kReadsWeights = kWeighted;
  const VertexId* id;  // kNoVertex: no member
  EdgeId* count;
  std::uint64_t* hash;

  bool visit(VertexId u, VertexId v, Weight w) const {
    if (id[u] == kNoVertex || id[v] == kNoVertex) return false;
    AtomicRef(count[u]).fetch_add(EdgeId{1});
    AtomicRef(hash[u]).fetch_add(hash_of(id[v], kWeighted ? w : Weight{1}));
    return false;
  }
};

template <bool kWeighted>
void check_lists(const Context& ctx, const Graph& graph, const SubgraphResult& result,
                 std::span<const VertexId> id) {
  const VertexId n = graph.vertices();
  VertexArray<VertexId> ids(ctx, n);
  ids.assign(id);
  VertexArray<EdgeId, MergeSum> count(ctx, n, 0);
  VertexArray<std::uint64_t, MergeSum> hash(ctx, n, 0);
  Frontier all(ctx, n);
  all.fill();
  advance(ctx, graph.out(), all, nullptr, [&](const Device& d) {
    return HashInside<kWeighted>{ids.on(d), count.on(d), hash.on(d)};
  });
  merge(count, hash);
  const Array<EdgeId> counts = std::move(count).take();
  const Array<std::uint64_t> hashes = std::move(hash).take();
  const CsrView lists = result.out.view();
  for (VertexId i = 0; i < lists.vertices; ++i) {
    const VertexId v = result.vertices[i];
    std::uint64_t sum = 0;
    for (EdgeId e = lists.offset[i]; e < lists.offset[i + 1]; ++e) {
      if (lists.target[e] >= lists.vertices)
        refute("subgraph", "vertex " + std::to_string(v) + " has an edge that leads outside");
      sum += hash_of(lists.target[e], kWeighted ? lists.weight[e] : Weight{1});
    }
    if (lists.degree(i) != counts[v])
      refute("subgraph", "vertex " + std::to_string(v) + " has " + std::to_string(counts[v]) +
                             " edges to vertices of the set, not " +
                             std::to_string(lists.degree(i)));
    if (sum != hashes[v]) refute("subgraph", "vertex " + std::to_string(v) + " has other edges");
  }
}

}  // namespace

void verify_subgraph(const Context& ctx, const Graph& graph, std::span<const VertexId> vertices,
                     const SubgraphResult& result) {
  std::vector<VertexId> members(vertices.begin(), vertices.end());
  std::sort(members.begin(), members.end());
  members.erase(std::unique(members.begin(), members.end()), members.end());
  if (!std::equal(members.begin(), members.end(), result.vertices.begin(), result.vertices.end()))
    refute("subgraph", "its vertices are not the given ones, in ascending order");
  const CsrView lists = result.out.view();
  if (lists.vertices != members.size() || lists.offset[0] != 0 ||
      lists.offset[lists.vertices] != lists.edges)
    refute("subgraph", "not one list per vertex");
  if (graph.weighted() != (lists.edges > 0 ? lists.weight != nullptr : graph.weighted()))
    refute("subgraph", "it is not weighted as the graph is");
  for (VertexId i = 0; i < lists.vertices; ++i)
    if (lists.offset[i] > lists.offset[i + 1] ||
        !std::is_sorted(lists.target + lists.offset[i], lists.target + lists.offset[i + 1]))
      refute("subgraph",
             "vertex " + std::to_string(result.vertices[i]) + " has a list that does not ascend");
  std::vector<VertexId> id(graph.vertices(), kNoVertex);
  for (std::size_t i = 0; i < members.size(); ++i) id[members[i]] = static_cast<VertexId>(i);
  if (graph.weighted())
    check_lists<true>(ctx, graph, result, id);
  else
    check_lists<false>(ctx, graph, result, id);
}

}  // namespace fathom
