#include <algorithm>

#include "fathom/algorithms/components.hpp"
#include "fathom/dynamic/incremental_parts.hpp"
#include "fathom/dynamic/level_repair.hpp"
#include "fathom/ops/advance.hpp"
#include "fathom/ops/compute.hpp"

namespace fathom::dynamic {
namespace {

/// A component is a search from its root, on level 0. Of roots: how many vertices it has, and the
/// smallest one.
struct OperatorComponents final : FollowingComponents {
  explicit OperatorComponents(const DynamicGraph& g)
      : FollowingComponents(g),
        level(*graph->ctx),
        root(*graph->ctx),
        size(*graph->ctx),
        smallest(*graph->ctx),
        into(*graph->ctx) {}

  void repair(const AppliedBatch& batch) override {
    const Graph now = graph_of(graph);
    if (is_large(batch)) return start(now);
    grow(now.vertices());
    const DeviceBatch changes(*graph->ctx, batch);
    remove(now, changes);
    insert(now, changes);
  }
  VertexId label(VertexId v) const override { return smallest.get(root.get(v)); }
  std::vector<VertexId> labels() const override {
    std::vector<VertexId> all = root.to_host();
    const std::vector<VertexId> name = smallest.to_host();
    for (VertexId& v : all) v = name[v];
    return all;
  }
  VertexId components() const override {
    const std::vector<VertexId> all = size.to_host();
    return static_cast<VertexId>(std::ranges::count_if(all, [](VertexId n) { return n != 0; }));
  }
  VertexId largest() const override {
    const std::vector<VertexId> all = size.to_host();
    return all.empty() ? 0 : *std::ranges::max_element(all);
  }

  DeviceValues<std::uint32_t> level;
  DeviceValues<VertexId> root, size, smallest;
  DeviceValues<VertexId> into;  // kNoVertex but while components become part of others

  const Context& ctx() const { return *graph->ctx; }
  ComponentData data() { return {root.data(), size.data(), smallest.data()}; }
  LevelRepair levels(const Graph& now) { return {ctx(), now, true, {level.data(), root.data()}}; }
  /// A frontier of which compute() over `of` sets the bits; make(bits) makes its functor.
  template <class Of, class Make>
  Frontier mark(const Graph& now, const Of& of, const Make& make) {
    Frontier marked(ctx(), now.vertices());
    marked.begin_bitmap();
    compute(ctx(), of, [&](const Device& d) { return make(marked.bits(d)); });
    marked.end_bitmap();
    return marked;
  }

  void start(const Graph& now) override {
    const VertexId n = now.vertices();
    const ComponentsResult found = connected_components(ctx(), now);
    std::vector<VertexId> sizes(n, 0), roots;
    std::vector<std::uint32_t> first(n, kNoLevel);
    for (const VertexId label : found.label) ++sizes[label];
    for (VertexId v = 0; v < n; ++v) {
      if (found.label[v] != v) continue;
      first[v] = 0;
      roots.push_back(v);
    }
    root.assign(found.label.data(), n);
    smallest.assign(found.label.data(), n);
    size.assign(sizes.data(), n);
    level.assign(first.data(), n);
    into.fill(n, kNoVertex);
    Frontier from(ctx(), n);
    from.assign(roots);
    levels(now).spread(std::move(from));
  }
  void grow(VertexId vertices) {
    const VertexId before = root.size();
    level.grow_to(vertices, 0);
    for (auto* values : {&root, &size, &smallest, &into}) values->grow_to(vertices, kNoVertex);
    compute(ctx(), vertices - before, [&](const Device&) {
      return FoundAlone{data(), level.data(), before};
    });
  }

  void remove(const Graph& now, const DeviceBatch& changes) {
    LevelRepair repair = levels(now);
    Frontier lost = repair.lose(changes);
    if (lost.empty()) return;
    repair.find_ways(lost);
    Frontier gone(ctx(), now.vertices());
    filter(ctx(), lost, gone, [&](const Device&) {
      return IsUnreached{{level.data(), root.data()}};
    });
    if (!gone.empty()) cut_off(now, gone);
  }
  /// What has no way to its root becomes components.
  void cut_off(const Graph& now, Frontier& gone) {
    const Frontier stale = mark(now, gone, [&](std::uint64_t* bits) {
      return LeaveComponent{data(), bits};
    });
    now.out().prepare(ctx(), {});
    advance(ctx(), now.out(), gone, nullptr, [&](const Device&) {
      return LinkUnreached{root.data(), level.data()};
    });
    compute(ctx(), gone, [&](const Device&) { return Compress{root.data()}; });
    levels(now).spread(mark(now, gone, [&](std::uint64_t* bits) {
      return JoinPiece{data(), level.data(), bits};
    }));
    renew_smallest(now, stale);
  }
  /// Of components that have lost theirs.
  void renew_smallest(const Graph& now, const Frontier& stale) {
    if (stale.empty()) return;
    compute(ctx(), stale, [&](const Device&) { return ForgetSmallest{smallest.data()}; });
    compute(ctx(), now.vertices(), [&](const Device& d) {
      return FindSmallest{data(), stale.on(d).bits};
    });
  }

  void insert(const Graph& now, const DeviceBatch& changes) {
    const std::vector<Absorbed> absorbed = find_absorbed(changes);
    if (absorbed.empty()) return;
    const auto count = static_cast<VertexId>(absorbed.size());
    const Array<Absorbed> here = on_device(ctx(), absorbed);
    compute(ctx(), count, [&](const Device&) {
      return AbsorbRoot{here.data(), data(), into.data()};
    });
    compute(ctx(), now.vertices(), [&](const Device&) {
      return FollowRoot{root.data(), into.data(), level.data()};
    });
    compute(ctx(), count, [&](const Device&) { return ForgetAbsorbed{here.data(), into.data()}; });
    levels(now).offer(changes, false);
  }
  /// The largest of the components that become one absorbs the others.
  std::vector<Absorbed> find_absorbed(const DeviceBatch& changes) {
    Array<JoinedRoots> join(changes.size, ctx().devices()[0].memory());
    compute(ctx(), changes.size, [&](const Device&) {
      return FindJoins{changes.edge.data(), data(), join.data()};
    });
    std::vector<JoinedRoots> joins(changes.size);
    ctx().copy(joins.data(), join.data(), joins.size() * sizeof(JoinedRoots));
    std::erase_if(joins, [](const JoinedRoots& j) { return j.root[0] == j.root[1]; });
    std::unordered_map<VertexId, VertexId> sizes;
    MergedComponents merged;
    for (const JoinedRoots& j : joins) {
      for (const int end : {0, 1}) sizes[j.root[end]] = j.size[end];
      merged.unite(j.root[0], j.root[1], [&](VertexId c) { return sizes.at(c); });
    }
    std::vector<Absorbed> absorbed;
    for (const auto& [c, its] : sizes)
      if (const VertexId by = merged.find(c); by != c) absorbed.push_back({c, by});
    return absorbed;
  }
};

}  // namespace

std::unique_ptr<FollowingComponents> components_by_operators(const DynamicGraph& g) {
  return std::make_unique<OperatorComponents>(g);
}

}  // namespace fathom::dynamic
