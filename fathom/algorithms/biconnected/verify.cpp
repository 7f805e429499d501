// The certificate of biconnected components.
//
// Edges of a tree are in one component if a chain of cycles leads from one to the other, each of
// an edge outside of the tree and the path between its ends. So the paths of all edges are walked,
// and what they pass is united: a set of tree edges that was united before, which is a subtree, is
// passed in one step, from anywhere in it to its top.
#include <algorithm>
#include <string>
#include <utility>

#include "fathom/algorithms/biconnected/biconnected.hpp"
#include "fathom/algorithms/refute.hpp"

namespace fathom {
namespace {

constexpr const char* kName = "biconnected";

void check_numbers(const Graph& graph, const BiconnectedResult& result) {
  const VertexId n = graph.vertices();
  if (result.component.size() != n || result.parent.size() != n ||
      result.articulation.size() != n || result.bridge.size() != n)
    refute(kName, "not one component, parent and two marks per vertex");
  for (VertexId v = 0; v < n; ++v)
    if (result.parent[v] >= n) refute_vertex(kName, v, "has a parent that is not in the graph");
}

/// Steps from each vertex to its root.
Array<VertexId> depths(const Context& ctx, const Array<VertexId>& parent) {
  const auto n = static_cast<VertexId>(parent.size());
  Array<VertexId> depth(n, kNoVertex, ctx.host_memory());
  for (VertexId v = 0; v < n; ++v) {
    VertexId above = v, steps = 0;
    for (; depth[above] == kNoVertex; ++steps) {
      if (steps > n) refute_vertex(kName, v, "has parents that go around in a circle");
      if (parent[above] == above) {
        if (above != v)
          refute_vertex(kName, above, "is a root, but not the first vertex of its tree");
        depth[above] = 0;
        break;
      }
      above = parent[above];
    }
    VertexId its = depth[above] + steps;
    for (VertexId u = v; depth[u] == kNoVertex; u = parent[u]) depth[u] = its--;
  }
  return depth;
}

/// Sets of the edges from vertices to their parents.
class UnitedEdges {
 public:
  UnitedEdges(const Context& ctx, const Array<VertexId>& parent)
      : parent_(parent),
        depth_(depths(ctx, parent)),
        set_(parent.size(), ctx.host_memory()),
        top_(Array<VertexId>::copy_of(parent, ctx.host_memory())) {
    for (std::size_t v = 0; v < set_.size(); ++v) set_[v] = static_cast<VertexId>(v);
  }

  VertexId find(VertexId v) {
    while (set_[v] != v) v = set_[v] = set_[set_[v]];
    return v;
  }
  /// The vertex that a set hangs on.
  VertexId top(VertexId set) const { return top_[set]; }

  /// Unites the edges on the path between u and v. @returns whether there is one.
  bool unite_path(VertexId u, VertexId v) {
    VertexId united = kNoVertex;
    while (u != v) {
      VertexId a = find(u), b = find(v);
      if (a == b) {
        join(united, a);
        return true;
      }
      // Of two tops the lower one is on the path: were it above where the ways from u and v meet,
      // both sets had the edge above there, and were one.
      if (height(a) < height(b)) {
        std::swap(a, b);
        std::swap(u, v);
      }
      if (parent_[u] == u) return false;
      u = top_[a];
      united = join(united, a);
    }
    return true;
  }

 private:
  /// Of a set's top; a root, which has no edge, is above all.
  VertexId height(VertexId set) const { return parent_[set] == set ? 0 : depth_[top_[set]] + 1; }
  VertexId join(VertexId a, VertexId b) {
    if (a == kNoVertex || a == b) return b;
    if (depth_[top_[a]] < depth_[top_[b]]) top_[b] = top_[a];
    set_[a] = b;
    return b;
  }

  const Array<VertexId>& parent_;
  Array<VertexId> depth_, set_, top_;
};

/// Reads every list once.
void unite_all(const Context& ctx, const Graph& graph, const Array<VertexId>& parent,
               UnitedEdges& edges) {
  const auto lists = graph.out().read_lists();
  for (VertexId u = 0; u < graph.vertices(); ++u) {
    if (u % 4096 == 0) ctx.task().check();
    bool exists = parent[u] == u;
    lists->read(u, [&](const PlainSpan& span) {
      for (std::uint32_t i = 0; i < span.size; ++i) {
        const VertexId v = span.target(i);
        exists = exists || v == parent[u];
        if (!edges.unite_path(u, v))
          refute_vertex(kName, u, "has an edge to a vertex of another tree");
      }
    });
    if (!exists) refute_vertex(kName, u, "has no edge to its parent");
  }
}

std::string yes_or_no(std::uint32_t is) {
  return is == 1 ? "1" : "0";
}

void check_count(const char* what, VertexId is, VertexId should) {
  if (is != should)
    refute(kName,
           "there are " + std::to_string(should) + " " + what + ", not " + std::to_string(is));
}

}  // namespace

void verify_biconnected(const Context& ctx, const Graph& graph, const BiconnectedResult& result) {
  check_numbers(graph, result);
  const VertexId n = graph.vertices();
  UnitedEdges edges(ctx, result.parent);
  unite_all(ctx, graph, result.parent, edges);

  const auto is_root = [&](VertexId v) { return result.parent[v] == v; };
  Array<VertexId> first(n, kNoVertex, ctx.host_memory()), size(n, 0, ctx.host_memory());
  Array<std::uint32_t> hanging(n, 0, ctx.host_memory());  // components on a vertex, two at most
  VertexId components = 0, bridges = 0, points = 0, largest = 0;
  for (VertexId v = 0; v < n; ++v) {
    const VertexId set = edges.find(v);
    if (!is_root(v) && first[set] == kNoVertex) {
      first[set] = v;
      ++components;
      std::uint32_t& its = hanging[edges.top(set)];
      its = std::min(its + 1, 2u);
    }
    const VertexId component = is_root(v) ? v : first[set];
    if (result.component[v] != component)
      refute_vertex(kName, v,
                    "is in component " + std::to_string(result.component[v]) + ", not " +
                        std::to_string(component));
    ++size[set];
  }
  for (VertexId v = 0; v < n; ++v) {
    const VertexId set = edges.find(v);
    const std::uint32_t bridge = !is_root(v) && size[set] == 1 ? 1 : 0;
    const std::uint32_t point = hanging[v] >= (is_root(v) ? 2u : 1u) ? 1 : 0;
    if (result.bridge[v] != bridge)
      refute_vertex(kName, v, "has the mark of a bridge wrong: it is " + yes_or_no(bridge));
    if (result.articulation[v] != point)
      refute_vertex(kName, v,
                    "has the mark of an articulation point wrong: it is " + yes_or_no(point));
    bridges += bridge;
    points += point;
    if (!is_root(v)) largest = std::max(largest, size[set] + 1);
  }
  check_count("components", result.components, components);
  check_count("bridges", result.bridges, bridges);
  check_count("articulation points", result.articulation_points, points);
  if (result.largest != largest)
    refute(kName, "the largest component has " + std::to_string(largest) + " vertices, not " +
                      std::to_string(result.largest));
}

}  // namespace fathom
