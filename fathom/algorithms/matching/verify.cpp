// The certificate of a matching.
#include <string>

#include "fathom/algorithms/certificate.hpp"
#include "fathom/algorithms/matching/functors.hpp"
#include "fathom/algorithms/matching/matching.hpp"
#include "fathom/algorithms/refute.hpp"
#include "fathom/ops/advance.hpp"
#include "fathom/ops/compute.hpp"

namespace fathom {
namespace {

constexpr const char* kName = "matching";

/// The edges of partners exist, and none goes before those of both of its ends.
struct CheckDominance {
  static constexpr bool kReadsWeights = true;
  const Proposal* chosen;  // by which a vertex has its partner
  std::uint32_t* exists;
  Rule::Ref before;
  RandomStream random;

  FATHOM_HD bool visit(VertexId u, VertexId v, Weight w) const {
    if (u == v) return false;
    const Proposal its = propose_by(random, u, v, w);
    if (chosen[u].to == v && chosen[u].weight == its.weight) AtomicRef(exists[u]).store(1);
    if (goes_before(its, v, chosen[u], chosen[u].to) &&
        goes_before(its, u, chosen[v], chosen[v].to))
      before.broken_by(u < v ? u : v);
    return false;
  }
};

void check_partners(const Graph& graph, const MatchingResult& result) {
  const VertexId n = graph.vertices();
  if (result.partner.size() != n || result.weight.size() != n)
    refute(kName, "not one partner and weight per vertex");
  VertexId edges = 0;
  double total = 0;
  for (VertexId v = 0; v < n; ++v) {
    const VertexId other = result.partner[v];
    if (other == kNoVertex) {
      if (result.weight[v] != 0) refute_vertex(kName, v, "has a weight, but no partner");
      continue;
    }
    if (other >= n || other == v || result.partner[other] != v)
      refute_vertex(kName, v, "is not the partner of its partner");
    if (result.weight[other] != result.weight[v])
      refute_vertex(kName, v, "has another weight than its partner");
    if (other < v) continue;
    ++edges;
    total += static_cast<double>(result.weight[v]);
  }
  if (edges != result.edges)
    refute(kName,
           "there are " + std::to_string(edges) + " edges, not " + std::to_string(result.edges));
  if (total != result.total)
    refute(kName,
           "weights add up to " + std::to_string(total) + ", not " + std::to_string(result.total));
}

}  // namespace

void verify_matching(const Context& ctx, const Graph& graph, const MatchingOptions& options,
                     const MatchingResult& result) {
  check_partners(graph, result);
  const VertexId n = graph.vertices();
  const RandomStream random(options.seed, 0);
  VertexArray<Proposal> chosen(ctx, n);
  {
    Array<Proposal> its(n, no_proposal(), ctx.host_memory());
    for (VertexId v = 0; v < n; ++v)
      if (result.partner[v] != kNoVertex)
        its[v] = propose_by(random, v, result.partner[v], result.weight[v]);
    chosen.assign(its.span());
  }
  VertexArray<std::uint32_t, MergeOr> exists(ctx, n, 0);
  Rule before(ctx), missing(ctx);
  Frontier all(ctx, n);
  all.fill();
  advance(ctx, graph.out(), all, nullptr, [&](const Device& d) {
    return CheckDominance{chosen.on(d), exists.on(d), before.on(d), random};
  });
  merge(exists);
  compute(ctx, n, [&](const Device& d) {
    return [chosen = chosen.on(d), exists = exists.on(d), missing = missing.on(d)](VertexId v) {
      if (chosen[v].to != kNoVertex && exists[v] == 0) missing.broken_by(v);
    };
  });
  missing.check(kName, "has no edge of that weight to its partner");
  before.check(kName, "has an edge that goes before those of both its ends");
}

}  // namespace fathom
