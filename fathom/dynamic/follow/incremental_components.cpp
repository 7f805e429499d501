#include <algorithm>
#include <unordered_map>
#include <utility>

#include "fathom/algorithms/components/components.hpp"
#include "fathom/core/parallel.hpp"
#include "fathom/dynamic/follow/incremental_parts.hpp"
#include "fathom/dynamic/follow/search_forest.hpp"

namespace fathom {
namespace {

/// Computations by all threads that take as long as to find all trees by one: so many come first.
constexpr std::uint32_t kTreesTake = 4;
/// What share of the vertices a repair may look at: more take about as long as all threads do to
/// compute components (two threads, a road of 262,144 vertices).
constexpr VertexId kRepairedShare = 4;

/// Which components become one: a union-find over the roots that a batch names. By size, with
/// halved paths: however a batch orders its edges, paths are short.
class MergedComponents {
 public:
  /// `size`: vertices of each.
  void unite(VertexId a, VertexId b, const dynamic::ReservedArray<VertexId>& size) {
    a = top(known(a, size)), b = top(known(b, size));
    if (a == b) return;
    if (set_[a].vertices < set_[b].vertices) std::swap(a, b);
    Set &above = set_[a], &below = set_[b];
    below.above = a;
    above.vertices += below.vertices;
    if (size[above.largest] < size[below.largest]) above.largest = below.largest;
  }
  /// The largest of those that become one with `c`, which was united.
  VertexId largest(VertexId c) { return set_[top(c)].largest; }

 private:
  /// Of the top of a set: how many vertices the set has, and the component with the most of them.
  struct Set {
    VertexId above, vertices, largest;
  };

  VertexId known(VertexId c, const dynamic::ReservedArray<VertexId>& size) {
    set_.try_emplace(c, Set{c, size[c], c});
    return c;
  }
  VertexId top(VertexId c) {
    for (Set* its = &set_[c]; its->above != c; its = &set_[c])
      c = its->above = set_[its->above].above;
    return c;
  }

  std::unordered_map<VertexId, Set> set_;
};

/// A component is named by the root of its tree. Of roots: how many vertices it has, and the
/// smallest one.
struct HostComponents final : dynamic::FollowingComponents {
  explicit HostComponents(const DynamicGraph& g)
      : FollowingComponents(g),
        forest(most(), pool()),
        root(most(), pool()),
        size(most(), pool()),
        smallest(most(), pool()) {}

  void start(const Graph&) override {
    grow();
    search();
  }
  void repair(const AppliedBatch& batch) override {
    grow();
    const std::size_t changed = batch.changed_edges();
    const bool computes = too_large.holds(changed) || (!has_forest && ++computed < kTreesTake);
    if (!computes && !has_forest) search();
    const auto repaired = [&] {
      forest.allow(std::max<std::size_t>(vertices() / kRepairedShare, dynamic::kAlwaysLookedAt));
      if (!remove(batch)) return false;
      insert(batch);
      renew_smallest();
      return true;
    };
    if (computes || !try_repair(changed, repaired)) compute_anew([&] { compute(); });
  }
  VertexId label(VertexId v) const override { return smallest[root[v]]; }
  std::vector<VertexId> labels() const override {
    std::vector<VertexId> all(forest.vertices());
    for (VertexId v = 0; v < all.size(); ++v) all[v] = label(v);
    return all;
  }
  VertexId components() const override { return count; }
  VertexId largest() const override {
    if (!has_forest) return known_largest;
    VertexId largest = 0;
    for (VertexId v = 0; v < forest.vertices(); ++v)
      if (root[v] == v) largest = std::max(largest, size[v]);
    return largest;
  }

  dynamic::SearchForest forest;
  dynamic::ReservedArray<VertexId> root, size, smallest;
  VertexId count = 0;                  // components
  VertexId known_largest = 0;          // without trees: vertices of the largest
  std::vector<VertexId> queue, stale;  // stale: roots whose smallest vertex has left
  bool has_forest = false;
  std::uint32_t computed = 0;  // without trees, for batches that they would have been repaired for

  /// Neighbours in either direction.
  template <class Visit>
  void around(VertexId v, const Visit& visit) const {
    if (dynamic::each_target(out(), v, visit) && graph->in)
      dynamic::each_target(graph->in->view(), v, visit);
  }

  void grow() {
    const VertexId before = forest.vertices(), now = vertices();
    forest.grow_to(now);
    for (auto* array : {&root, &size, &smallest}) array->grow_to(now);
    for (VertexId v = before; v < now; ++v) found(v);
  }
  /// Finds all trees, by one thread.
  void search() {
    forest.start_anew();
    count = 0;
    computed = 0;
    stale.clear();
    for (VertexId v = 0; v < vertices(); ++v) found(v);
    for (VertexId v = 0; v < vertices(); ++v)
      if (size[v] == 1 && root[v] == v) absorb_around(v);
    renew_smallest();
    has_forest = true;
  }
  /// Components without trees and sizes, by all threads.
  void compute() {
    has_forest = false;
    const ComponentsResult known = connected_components(*graph->ctx, dynamic::graph_of(graph));
    count = known.components;
    known_largest = known.largest;
    parallel_for(graph->threads(), vertices(), dynamic::kCopiedAtOnce,
                 [&](std::size_t a, std::size_t b, int) {
                   for (std::size_t v = a; v < b; ++v) root[v] = smallest[v] = known.label[v];
                 });
  }
  /// v becomes a component.
  void found(VertexId v) {
    forest.set(v, 0, v);
    root[v] = smallest[v] = v;
    size[v] = 1;
    ++count;
  }

  /// The component of v takes everything that is reached from v outside of it.
  void absorb_around(VertexId v) {
    const VertexId mine = root[v];
    queue.assign(1, v);
    for (std::size_t at = 0; at < queue.size(); ++at) {
      const VertexId x = queue[at];
      around(x, [&](VertexId y) {
        if (root[y] != mine) absorb(mine, x, y), queue.push_back(y);
        return true;
      });
    }
  }
  void absorb(VertexId mine, VertexId x, VertexId y) {
    const VertexId old = root[y];
    if (--size[old] == 0)
      --count;
    else if (smallest[old] == y)
      stale.push_back(old);
    root[y] = mine;
    ++size[mine];
    smallest[mine] = std::min(smallest[mine], y);
    forest.set(y, forest.level(x) + 1, x);
  }

  /// @return false where that would take longer than to compute all anew
  bool remove(const AppliedBatch& batch) {
    for (const ChangedEdge& e : batch.edges()) {
      if (e.after != 0 || e.source == e.target) continue;
      if (forest.parent(e.target) == e.source) forest.orphan(e.target);
      if (forest.parent(e.source) == e.target) forest.orphan(e.source);
    }
    const auto within = [&](VertexId v, const auto& visit) {
      around(v, [&](VertexId x) { return root[x] != root[v] || visit(x); });
    };
    const std::vector<VertexId> lost = forest.adopt(within, within);
    if (forest.gave_up()) return false;
    for (const VertexId v : lost)
      within(v, [&](VertexId x) {
        forest.offer(x, v);
        return true;
      });
    forest.relax(false, within);
    if (forest.gave_up()) return false;
    for (const VertexId v : lost)
      if (!forest.reached(v)) cut_off(v);
    return true;
  }

  /// What is reached from v and has no way to its root becomes a component.
  void cut_off(VertexId v) {
    const VertexId old = root[v];
    leave(old, v);
    found(v);
    queue.assign(1, v);
    for (std::size_t at = 0; at < queue.size(); ++at) {
      const VertexId x = queue[at];
      around(x, [&](VertexId y) {
        if (root[y] != old || forest.reached(y)) return true;
        leave(old, y);
        root[y] = v;
        ++size[v];
        smallest[v] = std::min(smallest[v], y);
        forest.set(y, forest.level(x) + 1, x);
        queue.push_back(y);
        return true;
      });
    }
  }
  void leave(VertexId old, VertexId v) {
    --size[old];  // its root stays
    if (smallest[old] == v) stale.push_back(old);
  }

  void insert(const AppliedBatch& batch) {
    MergedComponents merged;
    const auto joins = [&](const ChangedEdge& e) {
      return e.before == 0 && root[e.source] != root[e.target];
    };
    for (const ChangedEdge& e : batch.edges())
      if (joins(e)) merged.unite(root[e.source], root[e.target], size);
    for (const ChangedEdge& e : batch.edges()) {
      if (!joins(e)) continue;
      const VertexId largest = merged.largest(root[e.source]);
      if (root[e.source] == largest)
        absorb_around(e.source);
      else if (root[e.target] == largest)
        absorb_around(e.target);
    }
  }

  /// Finds the smallest vertices again of components that have lost theirs.
  void renew_smallest() {
    std::erase_if(stale, [&](VertexId c) { return size[c] == 0; });
    if (stale.empty()) return;
    for (const VertexId c : stale) smallest[c] = kNoVertex;
    for (VertexId v = 0; v < vertices(); ++v) smallest[root[v]] = std::min(smallest[root[v]], v);
    stale.clear();
  }
};

}  // namespace

IncrementalComponents::IncrementalComponents(const DynamicGraph& graph, FollowBy by) {
  if (dynamic::by_operators(graph, by))
    its_ = dynamic::components_by_operators(graph);
  else
    its_ = std::make_unique<HostComponents>(graph);
  its_->begin(graph.graph());
}
IncrementalComponents::IncrementalComponents(IncrementalComponents&&) noexcept = default;
IncrementalComponents& IncrementalComponents::operator=(IncrementalComponents&&) noexcept = default;
IncrementalComponents::~IncrementalComponents() = default;

void IncrementalComponents::update(const AppliedBatch& batch) {
  its_->follow(batch);
}

VertexId IncrementalComponents::label(VertexId v) const {
  return dynamic::whole(its_).label(v);
}
std::vector<VertexId> IncrementalComponents::labels() const {
  return dynamic::whole(its_).labels();
}
VertexId IncrementalComponents::components() const {
  return dynamic::whole(its_).components();
}
VertexId IncrementalComponents::largest() const {
  return dynamic::whole(its_).largest();
}

}  // namespace fathom
