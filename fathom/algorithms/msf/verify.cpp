// The certificate of spanning forests.
#include <algorithm>
#include <string>
#include <utility>

#include "fathom/algorithms/certificate.hpp"
#include "fathom/algorithms/msf/functors.hpp"
#include "fathom/algorithms/msf/msf.hpp"
#include "fathom/algorithms/refute.hpp"
#include "fathom/core/atomic.hpp"
#include "fathom/ops/advance.hpp"
#include "fathom/ops/compute.hpp"

namespace fathom {
namespace {

/// The edges of the forest, and when each of them joins two sets if they come in their order. The
/// smaller set goes below the larger one, so that `above` leads to the set's top in at most
/// log2(vertices) steps, each of them later than the one before: the last edge of the path between
/// two vertices is the one that their ways up meet after.
struct Joins {
  const VertexId* parent;
  const VertexId* key;    // of the edge to the parent
  const VertexId* above;  // a top its own
  const VertexId* time;   // when it went below; kNoVertex: never
  const VertexId* child;  // by time: the edge is the one from it to its parent

  /// When u and v came into one set; kNoVertex: they did not.
  FATHOM_HD VertexId meet(VertexId u, VertexId v) const {
    VertexId last = kNoVertex;
    while (u != v) {
      VertexId& earlier = time[u] < time[v] ? u : v;
      last = time[earlier];
      if (last == kNoVertex) return last;
      earlier = above[earlier];
    }
    return last;
  }
  FATHOM_HD LightEdge edge(VertexId v) const { return {key[v], parent[v]}; }
};

/// No edge joins two trees or goes before the edges that join its ends; the forest's exist.
struct CheckPaths {
  static constexpr bool kReadsWeights = true;
  Joins joins;
  std::uint32_t* exists;
  Rule::Ref apart, better;
  MsfOptions options;

  FATHOM_HD bool visit(VertexId u, VertexId v, Weight w) const {
    if (u == v) return false;
    const LightEdge edge{weight_key(options.weighted ? w : 1, options.maximum), v};
    if (joins.parent[u] == v && joins.key[u] == edge.key) AtomicRef(exists[u]).store(1);
    if (u > v) return false;  // seen from its other end
    const VertexId met = joins.meet(u, v);
    if (met == kNoVertex) {
      apart.broken_by(u);
    } else {
      const VertexId last = joins.child[met];
      if (is_lighter(u, edge, last, joins.edge(last))) better.broken_by(u);
    }
    return false;
  }
};

/// What Joins shows, on the host.
class JoinTimes {
 public:
  JoinTimes(const Context& ctx, const MsfResult& result, bool maximum)
      : parent_(result.parent),
        key_(result.parent.size(), ctx.host_memory()),
        above_(result.parent.size(), ctx.host_memory()),
        time_(result.parent.size(), kNoVertex, ctx.host_memory()),
        child_(result.edges, ctx.host_memory()) {
    VertexId edges = 0;
    for (VertexId v = 0; v < parent_.size(); ++v) {
      key_[v] = weight_key(result.weight[v], maximum);
      above_[v] = v;
      if (parent_[v] != v) child_[edges++] = v;
    }
    std::sort(child_.begin(), child_.end(), [&](VertexId u, VertexId v) {
      return is_lighter(u, {key_[u], parent_[u]}, v, {key_[v], parent_[v]});
    });
    join(ctx);
  }

  const Array<VertexId>& key() const { return key_; }
  const Array<VertexId>& above() const { return above_; }
  const Array<VertexId>& time() const { return time_; }
  const Array<VertexId>& child() const { return child_; }

  void check_roots(const Context& ctx) const {
    Array<VertexId> first(parent_.size(), kNoVertex, ctx.host_memory());
    for (VertexId v = 0; v < parent_.size(); ++v) {
      VertexId& its = first[top(v)];
      if (its == kNoVertex) its = v;
      if (parent_[v] == v && its != v)
        refute_vertex("msf", v, "is a root, but not the first vertex of its tree");
    }
  }

 private:
  VertexId top(VertexId v) const {
    while (above_[v] != v) v = above_[v];
    return v;
  }

  void join(const Context& ctx) {
    Array<VertexId> size(parent_.size(), 1, ctx.host_memory());
    for (VertexId t = 0; t < child_.size(); ++t) {
      VertexId low = top(child_[t]), high = top(parent_[child_[t]]);
      if (low == high)
        refute_vertex("msf", child_[t], "has an edge to its parent that closes a circle");
      if (size[high] < size[low]) std::swap(low, high);
      above_[low] = high;
      time_[low] = t;
      size[high] += size[low];
    }
  }

  const Array<VertexId>& parent_;
  Array<VertexId> key_, above_, time_, child_;
};

void check_numbers(const Graph& graph, const MsfResult& result) {
  const VertexId n = graph.vertices();
  if (result.parent.size() != n || result.weight.size() != n)
    refute("msf", "not one parent and weight per vertex");
  VertexId edges = 0;
  double total = 0;
  for (VertexId v = 0; v < n; ++v) {
    if (result.parent[v] >= n) refute_vertex("msf", v, "has a parent that is not in the graph");
    if (result.parent[v] == v && result.weight[v] != 0)
      refute_vertex("msf", v, "is a root and has a weight");
    edges += result.parent[v] == v ? 0 : 1;
    total += static_cast<double>(result.weight[v]);
  }
  if (edges != result.edges)
    refute("msf", "the forest has " + std::to_string(edges) + " edges, not " +
                      std::to_string(result.edges));
  if (result.trees != n - edges)
    refute("msf", "there are " + std::to_string(n - edges) + " roots, but " +
                      std::to_string(result.trees) + " trees are reported");
  if (total != result.total)
    refute("msf",
           "weights add up to " + std::to_string(total) + ", not " + std::to_string(result.total));
}

}  // namespace

void verify_msf(const Context& ctx, const Graph& graph, const MsfOptions& options,
                const MsfResult& result) {
  check_numbers(graph, result);
  const VertexId n = graph.vertices();
  VertexArray<VertexId> parent(ctx, n), key(ctx, n), above(ctx, n), time(ctx, n),
      child(ctx, result.edges);
  {
    const JoinTimes times(ctx, result, options.maximum);
    times.check_roots(ctx);
    parent.assign(result.parent);
    key.assign(times.key());
    above.assign(times.above());
    time.assign(times.time());
    child.assign(times.child());
  }
  VertexArray<std::uint32_t, MergeOr> exists(ctx, n, 0);
  Rule apart(ctx), better(ctx), missing(ctx);
  Frontier all(ctx, n);
  all.fill();
  advance(ctx, graph.out(), all, nullptr, [&](const Device& d) {
    return CheckPaths{{parent.on(d), key.on(d), above.on(d), time.on(d), child.on(d)},
                      exists.on(d),
                      apart.on(d),
                      better.on(d),
                      options};
  });
  merge(exists);
  compute(ctx, n, [&](const Device& d) {
    return [parent = parent.on(d), exists = exists.on(d), missing = missing.on(d)](VertexId v) {
      if (parent[v] != v && exists[v] == 0) missing.broken_by(v);
    };
  });
  missing.check("msf", "has no edge of that weight to its parent");
  apart.check("msf", "has an edge to a vertex of another tree");
  better.check("msf", "has an edge that goes before one that joins its ends");
}

}  // namespace fathom
