// The certificate of an independent set.
#include <string>

#include "fathom/algorithms/certificate.hpp"
#include "fathom/algorithms/mis/functors.hpp"
#include "fathom/algorithms/mis/mis.hpp"
#include "fathom/algorithms/refute.hpp"
#include "fathom/core/atomic.hpp"
#include "fathom/ops/advance.hpp"
#include "fathom/ops/compute.hpp"

namespace fathom {
namespace {

// What a vertex outside has seen of the set.
constexpr std::uint32_t kNeighbour = 1, kEarlier = 2;

/// No edge joins two vertices of the set; each outside looks for neighbours inside.
struct LookAtSet {
  const std::uint32_t* in_set;
  const std::uint32_t* key;
  std::uint32_t* seen;
  Rule::Ref joined;

  FATHOM_HD bool visit(VertexId u, VertexId v, Weight) const {
    if (u == v) return false;
    if (in_set[u] != 0 && in_set[v] != 0) joined.broken_by(u < v ? u : v);
    if (in_set[u] != in_set[v]) in_set[u] != 0 ? see(v, u) : see(u, v);
    return false;
  }
  FATHOM_HD void see(VertexId outside, VertexId inside) const {
    AtomicRef(seen[outside])
        .fetch_or(goes_before(key, inside, outside) ? kNeighbour | kEarlier : kNeighbour);
  }
};

void check_numbers(const Graph& graph, const MisResult& result) {
  if (result.in_set.size() != graph.vertices()) refute("mis", "not one number per vertex");
  VertexId size = 0;
  for (std::size_t v = 0; v < result.in_set.size(); ++v) {
    if (result.in_set[v] > 1) refute_vertex("mis", v, "has neither 0 nor 1");
    size += result.in_set[v];
  }
  if (size != result.size)
    refute("mis",
           "the set has " + std::to_string(size) + " vertices, not " + std::to_string(result.size));
}

}  // namespace

void verify_mis(const Context& ctx, const Graph& graph, const MisOptions& options,
                const MisResult& result) {
  check_numbers(graph, result);
  const VertexId n = graph.vertices();
  VertexArray<std::uint32_t> in_set(ctx, n);
  in_set.assign(result.in_set);
  VertexArray<std::uint32_t, MergeSum> key = detail::mis_keys(ctx, graph, options);
  VertexArray<std::uint32_t, MergeOr> seen(ctx, n, 0);
  Rule joined(ctx), alone(ctx), late(ctx);
  Frontier all(ctx, n);
  all.fill();
  advance(ctx, graph.out(), all, nullptr, [&](const Device& d) {
    return LookAtSet{in_set.on(d), key.on(d), seen.on(d), joined.on(d)};
  });
  merge(seen);
  compute(ctx, n, [&](const Device& d) {
    return [in_set = in_set.on(d), seen = seen.on(d), alone = alone.on(d),
            late = late.on(d)](VertexId v) {
      if (in_set[v] != 0) return;
      if (seen[v] == 0) alone.broken_by(v);
      if (seen[v] == kNeighbour) late.broken_by(v);
    };
  });
  joined.check("mis", "is in the set, and so is a neighbour");
  alone.check("mis", "could be added to the set");
  late.check("mis", "goes before all its neighbours in the set, but is not there");
}

}  // namespace fathom
