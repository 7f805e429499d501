#include "fathom/algorithms/components/components.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "fathom/algorithms/components/functors.hpp"
#include "fathom/algorithms/components/giant.hpp"
#include "fathom/algorithms/components/parts.hpp"
#include "fathom/algorithms/components/rank_forests.hpp"
#include "fathom/algorithms/components/rank_links.hpp"
#include "fathom/algorithms/state_sizes.hpp"
#include "fathom/ops/split_operators.hpp"
#include "fathom/residency/paged/split_run.hpp"
#include "fathom/residency/run_lists.hpp"

namespace fathom {
namespace {

// Neighbours of each tree's root that are linked before the giant component is looked for.
constexpr EdgeId kRootNeighbours = 8;

/// Moves each vertex to the label of its label, ascending: to its tree's root, since labels are no
/// larger than their vertices. `moved`: a bit per vertex, set for those with another label now.
void climb(std::span<VertexId> label, std::span<std::uint64_t> moved) {
  std::fill(moved.begin(), moved.end(), 0);
  for (std::size_t v = 0; v < label.size(); ++v) {
    const VertexId above = label[label[v]];
    if (above == label[v]) continue;
    label[v] = above;
    moved[v / 64] |= std::uint64_t{1} << (v % 64);
  }
}

/// Components where labels are split: links climb trees through labels anywhere, so that labels
/// spread along edges instead. After each superstep the host, where all labels are then, has them
/// climb, so that long paths take few supersteps.
ComponentsResult spread_labels(Split& split, const Graph& graph) {
  const Context& ctx = split.context();
  const VertexId n = graph.vertices();
  Recorder record(ctx, graph.traffic());
  ComponentsResult result;
  SplitArray<VertexId, MergeMin> label(split, n, Use::AtSourceToo);
  compute(split, n, [&](const Device& d) { return StartAlone{label.on(d)}; });
  Frontier now(ctx, n), next(ctx, n), others(ctx, n);
  now.fill();
  Array<std::uint64_t> moved((std::size_t{n} + 63) / 64, ctx.host_memory());
  auto lower = [&](EdgeSource& edges, Frontier& into) {
    advance(
        split, edges, now, &into,
        [&](const Device& d) {
          return LowerLabel{label.at_source(d), label.on(d)};
        },
        Emit::Often);
  };
  while (!now.empty()) {
    EdgeId edges = degree_sum(split, graph.out(), now);
    lower(graph.out(), next);
    if (graph.directed()) {
      edges += degree_sum(split, graph.in(), now);
      lower(graph.in(), others);
      next.unite(others);
    }
    label.change_on_host([&](std::span<VertexId> labels) { climb(labels, moved.span()); });
    assign_bits(ctx, others, moved.span());
    next.unite(others);
    record.step(now.size(), edges, "spread", graph.traffic());
    std::swap(now, next);
  }
  result.report = record.finish();
  result.label = std::move(label).take();
  return result;
}

/// Starts kernels that join the trees of `from`, labels of [begin, begin + count), to those of
/// `label`.
void link_replica(const Device& device, VertexId* label, const void* from, std::size_t begin,
                  std::size_t count) {
  if constexpr (has_device_code<LinkReplica>()) {
    const auto size = static_cast<VertexId>(count);
    cuda::compute(
        device, {FrontierRef::Form::All, size, size, nullptr, nullptr}, {0, size},
        LinkReplica{label, static_cast<const VertexId*>(from), static_cast<VertexId>(begin)});
  }
}

}  // namespace

bool MergeLinks::on_ranks(const Context& ctx, VertexId* label, std::size_t n) {
  return join_ranks_on_gpus(
      ctx, label, n, sizeof(VertexId),
      [&](const Device& device, const void* from, std::size_t begin, std::size_t count) {
        link_replica(device, label, from, begin, count);
      });
}

bool MergeLinks::on_gpus(const Context& ctx, std::span<VertexId* const> replica, std::size_t n) {
  if constexpr (has_device_code<LinkReplica>()) {
    const std::vector<void*> at(replica.begin(), replica.end());
    return merge_into_first(
        ctx, at, n, sizeof(VertexId),
        [&](const Device& first, const void* from, std::size_t begin, std::size_t count) {
          link_replica(first, replica[0], from, begin, count);
        });
  }
  return false;
}

ComponentsResult connected_components(const Context& ctx, const Graph& graph,
                                      const ComponentsOptions& options) {
  const VertexId n = graph.vertices();
  StateSize state = components_state(options.sample);
  if (graph.directed() && !graph.has_in()) state.chunk = 0;
  SplitRun split_run(ctx, graph, state);
  if (split_run.split().on()) {
    if (graph.directed() && !graph.has_in())
      split_run.refuse(
          "cc needs the in-edges of a directed graph where vertex state is split, and the graph "
          "was "
          "stored without them");
    ComponentsResult result = spread_labels(split_run.split(), graph);
    result.report.chunks = split_run.split().chunks();
    count_components(ctx, 0, result);
    return result;
  }
  if (links_by_rank(ctx, graph)) return components_by_rank(ctx, graph, options);
  const Hints wanted = options.sample ? Hints::Far : Hints::None;
  std::vector<RunLists::Lists> read{{graph.out(), {kWholeList, false, wanted}}};
  if (options.sample && graph.directed() && graph.has_in()) read.push_back({graph.in()});
  const RunLists lists(ctx, state, read);
  const bool hints = graph.out().hints(ctx.devices()[0]) != nullptr;
  Recorder record(ctx, graph.traffic());
  ComponentsResult result;
  Components component(ctx, n);
  RankLinks links(ctx, n);
  Frontier all(ctx, n);
  all.fill();
  // Every replica moves all of its vertices: that takes less time than to be told of others'. They
  // are equal then, whatever paths led to the roots.
  auto compress = [&](const Frontier& which) {
    compute(ctx, which, [&](const Device& d) { return Compress{component.on(d)}; });
  };
  auto link_edges = [&](EdgeSource& edges, Frontier& of, EdgeId first = kWholeList) {
    links.begin(component);
    advance(
        ctx, edges, of, nullptr, [&](const Device& d) { return LinkEnds{component.on(d)}; },
        Emit::Once, first);
    links.merge(component);
  };

  compute(ctx, n, [&](const Device& d) { return StartAlone{component.on(d)}; });

  // 1. Hook every vertex below one neighbour, which leaves trees; link each tree's root to a few
  //    others. That joins most of a giant component.
  VertexId giant = 0;
  Frontier rest(ctx, n);
  rest.fill();
  if (options.sample && n > 0) {
    if (hints) {  // a neighbour is known without any list
      compute(ctx, n, [&](const Device& d) {
        return LinkHint{component.on(d), graph.out().hints(d)};
      });
      // Of ranks without lists of their own each has hints, or has none, by itself.
      if (ctx.ranks() > 1 && !graph.out().own_lists()) merge(component);
    } else {
      advance(
          ctx, graph.out(), all, nullptr,
          [&](const Device& d) { return HookFirst{component.on(d)}; }, Emit::Once, 1);
      links.merge_first(component, graph.out().own_lists());
    }
    compress(all);  // first neighbours may form long paths, such as the columns of a grid
    EdgeId sampled = n;
    if (graph.edges() >= kFewEdgesToSample * n) {
      Frontier& roots = rest;
      filter(ctx, all, roots, [&](const Device& d) { return IsRoot{component.on(d)}; });
      link_edges(graph.out(), roots, kRootNeighbours);
      sampled += std::min(graph.edges(), kRootNeighbours * EdgeId{roots.size()});
      compress(all);
    }
    record.step(n, sampled, "sample", graph.traffic());
    giant = probable_giant(component);
    if (graph.has_in())
      filter(ctx, all, rest, [&](const Device& d) { return Outside{component.on(d), giant}; });
    else
      rest.fill();
  }

  // 2. Link the other edges, but for those between vertices of the giant component: an edge that
  //    leaves it is seen from its other end.
  link_edges(graph.out(), rest);
  EdgeId edges = graph.out().degree_sum(ctx, rest);
  if (options.sample && graph.directed() && graph.has_in()) {
    link_edges(graph.in(), rest);
    edges += graph.in().degree_sum(ctx, rest);
  }
  const bool giant_kept_label = n > 0 && component.get(giant) == giant;
  compress(giant_kept_label && options.sample ? rest : all);
  record.step(rest.size(), edges, "link", graph.traffic());
  result.report = record.finish();

  if (n > 0) giant = component.get(giant);
  result.label = std::move(component).take();
  count_components(ctx, giant, result);
  return result;
}

}  // namespace fathom
