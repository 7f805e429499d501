#include "fathom/reorder/rcm.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "fathom/algorithms/degrees/degrees.hpp"
#include "fathom/core/error.hpp"
#include "fathom/ops/advance.hpp"
#include "fathom/ops/compute.hpp"
#include "fathom/ops/gather.hpp"
#include "fathom/reorder/by_component.hpp"
#include "fathom/reorder/rcm_functors.hpp"
#include "fathom/reorder/sorting.hpp"

namespace fathom::reorder {
namespace {

/// Searches reach each vertex of a component, from wherever in it: unless an undirected graph has
/// edges of one direction alone.
[[noreturn]] void refuse_lists() {
  throw Error(ErrorCode::BadInput,
              "the graph is undirected, but has edges that stand in the list of one of their ends "
              "alone: `fathom verify` says where");
}

/// Searches of the symmetrised graph from one vertex of each component, level by level.
class Numbering {
 public:
  Numbering(const Context& ctx, const Graph& graph, std::span<const EdgeId> degree)
      : ctx_(ctx),
        graph_(graph),
        degree_(degree),
        place_(ctx, graph.vertices()),
        claim_(ctx, graph.vertices()),
        now_(ctx, graph.vertices()),
        next_(ctx, graph.vertices()),
        more_(ctx, graph.vertices()) {}

  /// Calls level(depth, its vertices in Cuthill-McKee order) for each level.
  template <class Level>
  void run(std::span<const VertexId> starts, const Level& level) {
    place_.fill(kNoVertex);
    claim_.fill(kNoVertex);
    std::vector<VertexId> vertices(starts.begin(), starts.end());
    if (std::find(starts.begin(), starts.end(), kNoVertex) != starts.end()) refuse_lists();
    VertexId numbered = 0;
    for (std::uint32_t depth = 0; !vertices.empty(); ++depth) {
      ctx_.task().check();
      if (vertices.size() > graph_.vertices() - numbered) refuse_lists();
      level(depth, std::span<const VertexId>(vertices));
      number(vertices, numbered);
      numbered += static_cast<VertexId>(vertices.size());
      vertices = claimed();
    }
  }

 private:
  bool two_lists() const { return graph_.directed() && graph_.has_in(); }
  /// Only one end of each edge knows of it.
  bool one_sided() const { return graph_.directed() && !graph_.has_in(); }

  void number(const std::vector<VertexId>& vertices, VertexId first) {
    VertexArray<VertexId> vertex(ctx_, vertices.size());
    vertex.assign(vertices);
    compute(ctx_, static_cast<VertexId>(vertices.size()), [&](const Device& d) {
      return Number{vertex.on(d), place_.on(d), first};
    });
    now_.assign(vertices);
  }

  /// The next level in its order.
  std::vector<VertexId> claimed() {
    const auto claim = [&](const Device& d) { return ClaimNext{place_.on(d), claim_.on(d)}; };
    advance(ctx_, graph_.out(), now_, &next_, claim, Emit::Often);
    if (two_lists()) advance(ctx_, graph_.in(), now_, &more_, claim, Emit::Often);
    if (one_sided()) {
      Frontier all(ctx_, graph_.vertices()), open(ctx_, graph_.vertices());
      all.fill();
      filter(ctx_, all, open, [&](const Device& d) { return IsUnnumbered{place_.on(d)}; });
      gather(ctx_, graph_.out(), open, &more_, [&](const Device& d) {
        return LookForNumbered{place_.on(d), claim_.on(d)};
      });
    }
    if (graph_.directed()) next_.unite(more_);
    claim_.merge(&next_);
    std::vector<VertexId> vertices;
    next_.for_each_on_host([&](std::size_t v) { vertices.push_back(static_cast<VertexId>(v)); });
    sort(vertices);
    return vertices;
  }

  /// By (claim, degree, id).
  void sort(std::vector<VertexId>& vertices) {
    VertexArray<VertexId> vertex(ctx_, vertices.size()), taken(ctx_, vertices.size());
    vertex.assign(vertices);
    compute(ctx_, static_cast<VertexId>(vertices.size()), [&](const Device& d) {
      return TakeClaim{vertex.on(d), claim_.on(d), taken.on(d)};
    });
    const Array<VertexId> claim = std::move(taken).take();
    Array<VertexId> index = natural_order(ctx_, static_cast<VertexId>(vertices.size()));
    index = stable_order(ctx_, index.span(), [&](VertexId i) { return degree_[vertices[i]]; });
    index = stable_order(ctx_, index.span(), [&](VertexId i) { return std::uint64_t{claim[i]}; });
    std::vector<VertexId> sorted;
    sorted.reserve(vertices.size());
    for (const VertexId i : index) sorted.push_back(vertices[i]);
    vertices.swap(sorted);
  }

  const Context& ctx_;
  const Graph& graph_;
  std::span<const EdgeId> degree_;
  VertexArray<VertexId> place_;
  VertexArray<VertexId, MergeMin> claim_;
  Frontier now_, next_, more_;
};

/// What is known of a component, by its label.
struct Start {
  VertexId vertex = kNoVertex;
  std::uint32_t depth = 0;  // of the search from it
  VertexId farthest = kNoVertex;
};

/// Pseudo-peripheral vertices, one of each component, in ascending order of their labels.
std::vector<VertexId> find_starts(const Context& ctx, const ComponentsResult& components,
                                  std::span<const EdgeId> degree, Numbering& search) {
  const Array<VertexId>& label = components.label;
  const auto better = [&](VertexId a, VertexId b) {
    return b == kNoVertex || degree[a] < degree[b] || (degree[a] == degree[b] && a < b);
  };
  Array<Start> found(label.size(), Start{}, ctx.host_memory());
  for (VertexId v = 0; v < label.size(); ++v)
    if (VertexId& vertex = found[label[v]].vertex; better(v, vertex)) vertex = v;
  std::vector<VertexId> labels, starts;
  for (VertexId v = 0; v < label.size(); ++v)
    if (label[v] == v) labels.push_back(v);
  std::vector<VertexId> open = labels;
  for (int i = 0; i < kMostSearches && !open.empty(); ++i) {
    starts.clear();
    for (const VertexId l : open) {
      starts.push_back(i == 0 ? found[l].vertex : found[l].farthest);
      found[l].farthest = kNoVertex;
    }
    Array<std::uint32_t> depth_of(label.size(), 0, ctx.host_memory());
    search.run(starts, [&](std::uint32_t depth, std::span<const VertexId> level) {
      for (const VertexId v : level) {
        Start& s = found[label[v]];
        if (depth > depth_of[label[v]] || depth == 0) s.farthest = kNoVertex;
        depth_of[label[v]] = depth;
        if (better(v, s.farthest)) s.farthest = v;
      }
    });
    std::vector<VertexId> deeper;
    for (std::size_t k = 0; k < open.size(); ++k) {
      Start& s = found[open[k]];
      const std::uint32_t depth = depth_of[open[k]];
      if (i > 0 && depth <= s.depth) continue;
      s.vertex = starts[k];
      s.depth = depth;
      if (depth > 0) deeper.push_back(open[k]);
    }
    open.swap(deeper);
  }
  starts.clear();
  for (const VertexId l : labels) starts.push_back(found[l].vertex);
  return starts;
}

}  // namespace

Array<VertexId> rcm_order(const Context& ctx, const Graph& graph) {
  const ComponentsResult components = connected_components(ctx, graph);
  DegreesResult found = degrees(ctx, graph);
  Array<EdgeId>& degree = found.out;  // in both directions from here on
  for (std::size_t v = 0; v < found.in.size(); ++v) degree[v] += found.in[v];
  Numbering numbering(ctx, graph, degree.span());
  const std::vector<VertexId> starts = find_starts(ctx, components, degree.span(), numbering);
  Array<VertexId> order(graph.vertices(), ctx.host_memory());
  std::size_t left = order.size();  // filled from the end
  numbering.run(starts, [&](std::uint32_t, std::span<const VertexId> level) {
    for (const VertexId v : level) order[--left] = v;
  });
  if (left != 0) refuse_lists();
  return by_component(ctx, components, order.span());
}

}  // namespace fathom::reorder
