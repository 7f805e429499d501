// The certificate of connected components.
#include <string>

#include "fathom/algorithms/certificate.hpp"
#include "fathom/algorithms/components/components.hpp"
#include "fathom/algorithms/refute.hpp"
#include "fathom/core/atomic.hpp"
#include "fathom/ops/advance.hpp"
#include "fathom/ops/compute.hpp"

namespace fathom {
namespace {

/// No edge leads to another class.
struct FindBridges {
  const VertexId* label;
  Rule::Ref bridged;

  FATHOM_HD bool visit(VertexId u, VertexId v, Weight) const {
    if (label[u] != label[v]) bridged.broken_by(u);
    return false;
  }
};

/// Union-find with path halving; the root of greater id goes below the other.
struct Unite {
  VertexId* parent;

  FATHOM_HD VertexId find(VertexId v) const {
    for (VertexId p = AtomicRef(parent[v]).load(); p != v;) {
      const VertexId q = AtomicRef(parent[p]).load();
      AtomicRef(parent[v]).compare_exchange(p, q);
      v = q;
      p = AtomicRef(parent[v]).load();
    }
    return v;
  }
  FATHOM_HD bool visit(VertexId u, VertexId v, Weight) const {
    for (;;) {
      VertexId a = find(u), b = find(v);
      if (a == b) return false;
      if (a < b) {
        const VertexId t = a;
        a = b;
        b = t;
      }
      VertexId root = a;
      if (AtomicRef(parent[a]).compare_exchange(root, b)) return false;
    }
  }
};

struct MergeSets {
  void operator()(VertexId* into, const VertexId* from, std::size_t n) const {
    for (std::size_t v = 0; v < n; ++v) Unite{into}.visit(static_cast<VertexId>(v), from[v], 1);
  }
};

void check_labels(const ComponentsResult& result) {
  VertexId classes = 0;
  for (std::size_t v = 0; v < result.label.size(); ++v) {
    const VertexId label = result.label[v];
    if (label > v)
      refute_vertex("components", v,
                    "has the label " + std::to_string(label) + ", which is greater");
    if (result.label[label] != label)
      refute_vertex("components", v,
                    "has the label " + std::to_string(label) + ", which is not of its own class");
    classes += label == v ? 1 : 0;
  }
  if (classes != result.components)
    throw Error(ErrorCode::VerificationFailed,
                "components: " + std::to_string(classes) + " labels, but " +
                    std::to_string(result.components) + " components are reported");
}

void check_largest(const Context& ctx, const ComponentsResult& result) {
  Array<VertexId> size(result.label.size(), 0, ctx.host_memory());
  VertexId largest = 0;
  for (const VertexId label : result.label) largest = std::max(largest, ++size[label]);
  if (largest != result.largest)
    throw Error(ErrorCode::VerificationFailed, "components: the largest has " +
                                                   std::to_string(largest) + " vertices, not " +
                                                   std::to_string(result.largest));
}

void check_edges(const Context& ctx, const Graph& graph, const ComponentsResult& result) {
  const VertexId n = graph.vertices();
  VertexArray<VertexId> label(ctx, n);
  label.assign(result.label);
  Rule bridged(ctx);
  Frontier all(ctx, n);
  all.fill();
  advance(ctx, graph.out(), all, nullptr, [&](const Device& d) {
    return FindBridges{label.on(d), bridged.on(d)};
  });
  bridged.check("components", "has an edge to a vertex of another label");
}

VertexId count_sets(const Context& ctx, const Graph& graph) {
  const VertexId n = graph.vertices();
  VertexArray<VertexId, MergeSets> parent(ctx, n);
  compute(ctx, n, [&](const Device& d) { return [p = parent.on(d)](VertexId v) { p[v] = v; }; });
  Frontier all(ctx, n);
  all.fill();
  advance(ctx, graph.out(), all, nullptr, [&](const Device& d) { return Unite{parent.on(d)}; });
  merge(parent);
  const Array<VertexId> sets = std::move(parent).take();
  VertexId roots = 0;
  for (std::size_t v = 0; v < n; ++v) roots += sets[v] == v ? 1 : 0;
  return roots;
}

}  // namespace

void verify_components(const Context& ctx, const Graph& graph, const ComponentsResult& result) {
  if (result.label.size() != graph.vertices())
    throw Error(ErrorCode::VerificationFailed, "components: not one label per vertex");
  check_labels(result);
  check_largest(ctx, result);
  check_edges(ctx, graph, result);
  // Classes are unions of components (no edge leaves one); equal numbers make them the same.
  const VertexId sets = count_sets(ctx, graph);
  if (sets != result.components)
    throw Error(ErrorCode::VerificationFailed, "components: the edges connect the vertices into " +
                                                   std::to_string(sets) + " components, not " +
                                                   std::to_string(result.components));
}

}  // namespace fathom
