#include "fathom/algorithms/biconnected/biconnected.hpp"

#include <algorithm>
#include <utility>

#include "fathom/algorithms/biconnected/functors.hpp"
#include "fathom/algorithms/biconnected/preorder.hpp"
#include "fathom/algorithms/components/giant.hpp"
#include "fathom/algorithms/msf/msf.hpp"
#include "fathom/algorithms/state_sizes.hpp"
#include "fathom/ops/advance.hpp"
#include "fathom/ops/compute.hpp"
#include "fathom/ops/gather.hpp"
#include "fathom/residency/run_lists.hpp"

namespace fathom {
namespace {

using Numbers = VertexArray<VertexId>;

struct Reach {
  Array<VertexId> low, high;  // by number, see FindReach
};

Reach find_reach(const Context& ctx, const Graph& graph, const Numbers& number) {
  VertexArray<VertexId, MergeMin> low(ctx, number.size(), kNoVertex);
  VertexArray<VertexId, MergeMin> high(ctx, number.size(), kNoVertex);
  Frontier all(ctx, graph.vertices());
  all.fill();
  gather(ctx, graph.out(), all, nullptr, [&](const Device& d) {
    return FindReach{number.on(d), low.on(d), high.on(d)};
  });
  merge(low, high);
  Array<VertexId> lowest = std::move(low).take();
  return {std::move(lowest), std::move(high).take()};
}

/// Of each subtree, how far its edges reach: the edges above and below its root are in one
/// component where that is out of what the parent has below it; and where it is another branch, so
/// is the edge above that. Makes low labels, of classes joined so far along the trees, and high a
/// number in another branch, kNoVertex without one. @returns whether there is one.
bool join_along_trees(const Preorder& tree, Reach& reach) {
  auto& [low, high] = reach;
  const auto n = static_cast<VertexId>(low.size());
  for (VertexId k = n; k-- > 0;) {
    low[k] = std::min(low[k], k);
    high[k] = std::min(high[k], kNoVertex - k);
    const VertexId above = tree.up[k];
    if (above == k) continue;
    low[above] = std::min(low[above], low[k]);
    high[above] = std::min(high[above], high[k]);
  }
  bool any = false;
  for (VertexId k = 0; k < n; ++k) {
    const VertexId above = tree.up[k], highest = kNoVertex - high[k];
    const bool leaves = above != k && (low[k] < above || highest > tree.last[above]);
    low[k] = leaves ? low[above] : k;  // a label by now, as it is smaller
    high[k] = highest > tree.last[k] ? highest : kNoVertex;
    any = any || high[k] != kNoVertex;
  }
  return any;
}

/// Joins what edges between branches join.
class Branches {
 public:
  Branches(const Context& ctx, const Graph& graph, const Numbers& number, const Numbers& last,
           Reach reach)
      : ctx_(ctx),
        graph_(graph),
        number_(number),
        last_(last),
        component_(ctx, number.size()),
        rest_(ctx, graph.vertices()) {
    component_.assign(reach.low.span());
    reach.low = {};
    Numbers across(ctx, number.size());
    across.assign(reach.high.span());
    reach.high = {};
    compute(ctx_, graph.vertices(), [&](const Device& d) {
      return LinkHint{component_.on(d), across.on(d)};
    });
    compress();
  }

  /// The edges of vertices outside of the largest component: one that leads into it is seen from
  /// its other end. @returns vertices and edges read.
  std::pair<VertexId, EdgeId> link_rest() {
    const VertexId giant = probable_giant(component_);
    Frontier all(ctx_, graph_.vertices());
    all.fill();
    filter(ctx_, all, rest_, [&](const Device& d) {
      return EdgeOutside{number_.on(d), component_.on(d), giant};
    });
    if (rest_.empty()) return {};
    advance(ctx_, graph_.out(), rest_, nullptr, [&](const Device& d) {
      return LinkBranches{number_.on(d), last_.on(d), component_.on(d)};
    });
    merge(component_);
    compress();
    return {rest_.size(), graph_.out().degree_sum(ctx_, rest_)};
  }

  Array<VertexId> take() && { return std::move(component_).take(); }

 private:
  void compress() {
    compute(ctx_, graph_.vertices(), [&](const Device& d) { return Compress{component_.on(d)}; });
  }

  const Context& ctx_;
  const Graph& graph_;
  const Numbers &number_, &last_;
  VertexArray<VertexId, MergeLinks> component_;  // by number
  Frontier rest_;
};

/// What parents and labels say. `label`: by number, the smallest number of its class.
void describe_components(const Context& ctx, Array<VertexId> number, Array<VertexId> label,
                         BiconnectedResult& result) {
  const auto n = static_cast<VertexId>(number.size());
  const auto is_root = [&](VertexId v) { return result.parent[v] == v; };
  Array<VertexId> name(n, kNoVertex, ctx.host_memory());  // by label, then sizes by name
  result.component = Array<VertexId>(n, ctx.host_memory());
  result.articulation = Array<std::uint32_t>(n, 0, ctx.host_memory());
  for (VertexId v = 0; v < n; ++v) {
    const VertexId its = label[number[v]];
    if (name[its] == kNoVertex) name[its] = v;
    result.component[v] = name[its];
    // The parent of the one with the smallest number: a component hangs on it.
    if (its != number[v] || is_root(v)) continue;
    std::uint32_t& hanging = result.articulation[result.parent[v]];
    hanging = std::min(hanging + 1, 2u);
    ++result.components;
  }
  number = {};
  label = {};
  Array<VertexId>& size = name;
  std::fill(size.begin(), size.end(), 0);
  for (const VertexId its : result.component) ++size[its];
  result.bridge = Array<std::uint32_t>(n, 0, ctx.host_memory());
  for (VertexId v = 0; v < n; ++v) {
    // A root is in no component but those that hang on it.
    result.articulation[v] = result.articulation[v] >= (is_root(v) ? 2u : 1u) ? 1 : 0;
    result.articulation_points += result.articulation[v];
    if (is_root(v)) continue;
    result.bridge[v] = size[result.component[v]] == 1 ? 1 : 0;
    result.bridges += result.bridge[v];
    result.largest = std::max(result.largest, size[result.component[v]] + 1);
  }
}

}  // namespace

BiconnectedResult biconnected_components(const Context& ctx, const Graph& graph) {
  if (graph.directed())
    throw Error(ErrorCode::Usage,
                "biconnected: the graph is directed, and biconnected components are those of "
                "undirected graphs: convert it with --undirected");
  const VertexId n = graph.vertices();
  Recorder record(ctx, graph.traffic());
  BiconnectedResult result;
  {
    MsfResult forest = minimum_spanning_forest(ctx, graph, {.weighted = false});
    result.parent = std::move(forest.parent);
    record.step(n, forest.report.edges_traversed, "forest", graph.traffic());
  }
  const RunLists lists(ctx, biconnected_state(), {{graph.out()}});
  Preorder tree = number_forest(ctx, result.parent.span());
  Numbers number(ctx, n), last(ctx, n);
  number.assign(tree.number.span());
  tree.number = {};
  last.assign(tree.last.span());
  record.step(n, 0, "number", graph.traffic());
  Reach reach = find_reach(ctx, graph, number);
  record.step(n, graph.edges(), "reach", graph.traffic());
  const bool branches = join_along_trees(tree, reach);
  tree = {};
  Array<VertexId> label;
  if (branches) {
    Branches joined(ctx, graph, number, last, std::move(reach));
    const auto [vertices, edges] = joined.link_rest();
    record.step(vertices, edges, "link", graph.traffic());
    label = std::move(joined).take();
  } else {
    label = std::move(reach.low);
  }
  result.report = record.finish();
  reach = {};
  describe_components(ctx, std::move(number).take(), std::move(label), result);
  return result;
}

}  // namespace fathom
