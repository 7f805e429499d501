#include <algorithm>

#include "fathom/algorithms/components/components.hpp"
#include "fathom/dynamic/follow/incremental_parts.hpp"
#include "fathom/dynamic/follow/local_components.hpp"
#include "fathom/ops/advance.hpp"
#include "fathom/ops/compute.hpp"

namespace fathom::dynamic {
namespace {

// Batches for which components are computed before levels are found again: where a repair took too
// long, as to find them takes as long as so many computations; and where the levels were too deep.
constexpr std::uint32_t kBatchesAfterRepair = 4, kBatchesAfterDepth = 32;

/// A component is a search from its root, on level 0. Of roots: how many vertices it has, and the
/// smallest one. Levels are found if that takes few supersteps. Without them there are labels: what
/// a computation has left on the host, or, once a batch has been followed near its edges, `local`.
struct OperatorComponents final : FollowingComponents {
  explicit OperatorComponents(const DynamicGraph& g)
      : FollowingComponents(g),
        level(*graph->ctx),
        root(*graph->ctx),
        size(*graph->ctx),
        smallest(*graph->ctx),
        set(*graph->ctx),
        lack(*graph->ctx),
        into(*graph->ctx),
        local(*graph->ctx) {}

  void start(const Graph& now) override {
    compute_anew(now);
    find_levels(now);
  }
  void repair(const AppliedBatch& batch) override {
    const Graph now = graph_of(graph);
    if (is_large(batch) || too_large.holds(batch.changed_edges())) return compute_anew(now);
    if (!has_levels) return repair_labels(now, batch);
    if (!repair_in_time(batch.changed_edges(), [&] { return repair_levels(now, batch); }))
      compute_anew(now);
  }
  VertexId label(VertexId v) const override {
    if (has_levels) return smallest.get(root.get(v));
    return is_local ? local.label(v) : known.label[v];
  }
  std::vector<VertexId> labels() const override {
    if (is_local) return local.labels();
    if (!has_levels) return {known.label.begin(), known.label.end()};
    std::vector<VertexId> all = root.to_host();
    const std::vector<VertexId> name = smallest.to_host();
    for (VertexId& v : all) v = name[v];
    return all;
  }
  VertexId components() const override {
    if (!has_levels && !is_local) return known.components;
    const std::vector<VertexId> all = sizes();
    return static_cast<VertexId>(std::ranges::count_if(all, [](VertexId n) { return n != 0; }));
  }
  VertexId largest() const override {
    if (!has_levels && !is_local) return known.largest;
    const std::vector<VertexId> all = sizes();
    return all.empty() ? 0 : *std::ranges::max_element(all);
  }

  DeviceValues<std::uint32_t> level;
  DeviceValues<VertexId> root, size, smallest;
  DeviceValues<VertexId> set, lack, into;  // see JoinData
  ComponentsResult known;
  LocalComponents local;
  bool has_levels = false, is_local = false;
  std::uint32_t batches_left = 0;  // that are computed without levels, until they are found

  const Context& ctx() const { return *graph->ctx; }
  /// Of components, by their roots or their smallest vertices.
  std::vector<VertexId> sizes() const {
    if (!is_local) return size.to_host();
    std::vector<VertexId> all(local.size());
    for (const VertexId label : local.labels()) ++all[label];
    return all;
  }
  ComponentData data() { return {root.data(), size.data(), smallest.data()}; }
  LevelRepair repair_of(const Graph& now) {
    return {ctx(), now, true, {level.data(), root.data()}, {}};
  }
  /// A frontier of which compute() over `of` sets the bits; make(bits) makes its functor.
  template <class Of, class Make>
  Frontier mark(const Graph& now, const Of& of, const Make& make) {
    Frontier marked(ctx(), now.vertices());
    marked.begin_bitmap();
    compute(ctx(), of, [&](const Device& d) { return make(marked.bits(d)); });
    marked.end_bitmap();
    return marked;
  }

  void compute_anew(const Graph& now) {
    if (has_levels) batches_left = kBatchesAfterRepair;
    has_levels = is_local = false;
    Followed::compute_anew([&] { known = connected_components(ctx(), now); });
  }
  bool repair_levels(const Graph& now, const AppliedBatch& batch) {
    grow(now.vertices());
    const ChangesRef changes = batch.in_place();
    LevelRepair levels = repair_of(now);
    remove(now, changes, levels);
    if (!levels.gave_up()) insert(now, changes, levels);
    return !levels.gave_up();
  }
  void repair_labels(const Graph& now, const AppliedBatch& batch) {
    const EdgeId changed = batch.changed_edges();
    if (changed == 0 && !is_local && known.label.size() == now.vertices()) return;
    if (!is_local) local.assign(known.label.span());
    is_local = true;
    known = {};
    const TiedLists lists{graph->view(false), graph->view(graph->both_directions()),
                          graph->both_directions()};
    const bool done = repair_in_time(changed, [&] {
      return local.repair(batch.in_place(), lists, graph->options.directed, now.vertices());
    });
    if (done) return;
    compute_anew(now);
    if (--batches_left == 0) find_levels(now);
  }
  /// From what has been computed; or not, where that takes long, and repairs would.
  void find_levels(const Graph& now) {
    const VertexId n = now.vertices();
    root.assign(known.label.data(), n);
    smallest.grow_to(n, kNoVertex);
    size.fill(n, 0);
    level.fill(n, kNoLevel);
    LevelRepair levels = repair_of(now);
    levels.spread(mark(now, n, [&](std::uint64_t* bits) {
      return JoinPiece{data(), level.data(), bits};
    }));
    has_levels = !levels.gave_up();
    if (has_levels)
      known = {};
    else
      batches_left = kBatchesAfterDepth;
  }
  void grow(VertexId vertices) {
    const VertexId before = root.size();
    level.grow_to(vertices, 0);
    for (auto* values : {&root, &size, &smallest}) values->grow_to(vertices, kNoVertex);
    compute(ctx(), vertices - before, [&](const Device&) {
      return FoundAlone{data(), level.data(), before};
    });
  }

  void remove(const Graph& now, const ChangesRef& changes, LevelRepair& levels) {
    Frontier lost = levels.lose(changes);
    if (lost.empty()) return;
    levels.find_ways(lost);
    if (levels.gave_up()) return;
    Frontier gone(ctx(), now.vertices());
    filter(ctx(), lost, gone, [&](const Device&) {
      return IsUnreached{{level.data(), root.data()}};
    });
    if (!gone.empty()) cut_off(now, gone, levels);
  }
  /// What has no way to its root becomes components.
  void cut_off(const Graph& now, Frontier& gone, LevelRepair& levels) {
    const Frontier stale = mark(now, gone, [&](std::uint64_t* bits) {
      return LeaveComponent{data(), bits};
    });
    now.out().prepare(ctx(), {});
    advance(ctx(), now.out(), gone, nullptr, [&](const Device&) {
      return LinkUnreached{root.data(), level.data()};
    });
    compute(ctx(), gone, [&](const Device&) { return Compress{root.data()}; });
    levels.spread(mark(now, gone, [&](std::uint64_t* bits) {
      return JoinPiece{data(), level.data(), bits};
    }));
    if (!levels.gave_up()) renew_smallest(now, stale);
  }
  /// Of components that have lost theirs.
  void renew_smallest(const Graph& now, const Frontier& stale) {
    if (stale.empty()) return;
    compute(ctx(), stale, [&](const Device&) { return ForgetSmallest{smallest.data()}; });
    compute(ctx(), now.vertices(), [&](const Device& d) {
      return FindSmallest{data(), stale.on(d).bits};
    });
  }

  /// The largest of the components that become one absorbs the others.
  void insert(const Graph& now, const ChangesRef& changes, LevelRepair& levels) {
    JoinEdges edges{changes.edge, data(), {}};
    const VertexId joining = reduce(
        ctx(), changes.edges, VertexId{0}, [&](const Device&) { return IsJoin{edges}; },
        MergeSum{});
    if (joining == 0) return;
    for (auto* values : {&set, &lack, &into}) values->grow_to(now.vertices(), kNoVertex);
    edges.join = {set.data(), lack.data(), into.data()};
    const auto each_edge = [&](const auto& functor) {
      compute(ctx(), changes.edges, [&](const Device&) { return functor; });
    };
    each_edge(BeginSets{edges});
    each_edge(LinkSets{edges});
    each_edge(FindLargest{edges});
    each_edge(ChooseRoot{edges});
    each_edge(AbsorbRoots{edges});
    compute(ctx(), now.vertices(), [&](const Device&) { return FollowRoot{edges, level.data()}; });
    levels.offer(changes, false);
  }
};

}  // namespace

std::unique_ptr<FollowingComponents> components_by_operators(const DynamicGraph& g) {
  return std::make_unique<OperatorComponents>(g);
}

}  // namespace fathom::dynamic
