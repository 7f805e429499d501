#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "fathom/algorithms/sssp/sssp.hpp"
#include "fathom/core/parallel.hpp"
#include "fathom/dynamic/follow/incremental_parts.hpp"
#include "fathom/dynamic/follow/radix_heap.hpp"

namespace fathom {
namespace dynamic {
namespace {

/// A batch that changes the lengths of more than this share of the edges is searched anew.
constexpr EdgeId kChangedLengths = 8;
// A repair by one thread is given up when it has looked at so many times as many edges as there
// are, where an entry of a heap counts as so many: it has taken about as long as a search by two
// threads (grids and roads of 65,536 vertices).
constexpr EdgeId kRepairedTimes = 4;
constexpr std::int64_t kEntryCost = 16;

/// Ascends as distances do, none of which is negative.
std::uint32_t key_of(Weight distance) {
  return std::bit_cast<std::uint32_t>(distance);
}

/// visit(u, v, before, after) for each edge that has become shorter or longer: infinity where there
/// is none.
template <class Visit>
void each_changed_length(const AppliedBatch& batch, bool weighted, const Visit& visit) {
  if (weighted) {
    for (const ChangedWeight& e : batch.weights()) visit(e.source, e.target, e.before, e.after);
    return;
  }
  for (const ChangedEdge& e : batch.edges())
    if (e.before == 0 || e.after == 0)
      visit(e.source, e.target, e.before == 0 ? kInfinity : 1, e.after == 0 ? kInfinity : 1);
}

}  // namespace

/// Invariants, between updates: distance[source] is 0; no edge (u, v) of weight w has distance[u] +
/// w < distance[v]; and each other finite distance[v] is distance[u] + w for one of them.
class FollowingDistances final : public Followed {
 public:
  FollowingDistances(const DynamicGraph& g, VertexId source)
      : Followed(g), source_(source), distance_(most(), pool()) {
    need_in_edges();
  }

  VertexId known() const { return known_; }
  Weight distance(VertexId v) const { return distance_[v]; }

 private:
  void start(const Graph& now) override {
    suspect_.clear();
    offer_.clear();
    const SsspResult found = sssp(*graph->ctx, now, source_);
    grow();
    parallel_for(graph->threads(), known_, kCopiedAtOnce, [&](std::size_t a, std::size_t b, int) {
      std::copy(found.distance.begin() + a, found.distance.begin() + b, distance_.data() + a);
    });
  }
  void repair(const AppliedBatch& batch) override {
    const std::size_t changed = weighted() ? batch.weights().size() : batch.changed_edges();
    const auto settled = [&] {
      grow();
      allowed_ = static_cast<std::int64_t>(std::max<EdgeId>(graph->edges() * kRepairedTimes, 4096));
      return lose(batch) && gain(batch);
    };
    if (are_many(changed, kChangedLengths) || too_large.holds(changed) ||
        !try_repair(changed, settled))
      compute_anew([&] { start(graph_of(graph)); });
  }

  bool weighted() const { return graph->options.edges != EdgeKind::Simple; }
  bool reached(VertexId v) const { return distance_[v] < kInfinity; }
  void grow() {
    distance_.grow_to(vertices());
    for (; known_ < vertices(); ++known_) distance_[known_] = kInfinity;
  }
  /// Whether a repair may go on. A list is looked at whole before that is asked again.
  bool may_go_on() const { return allowed_ > 0; }
  template <class Visit>
  void look_at(const DynamicEdges& lists, VertexId v, const Visit& visit) {
    each_edge(lists, v, [&](VertexId x, Weight w) {
      --allowed_;
      return visit(x, w);
    });
  }

  /// v may have lost what its distance comes from.
  void suspect(VertexId v) {
    if (v == source_ || !reached(v)) return;
    allowed_ -= kEntryCost;
    suspect_.push(key_of(distance_[v]), v);
  }
  /// A path to v, which takes it if it is shorter; gain() goes on from there.
  void offer(Weight distance, VertexId v) {
    if (!(distance < distance_[v])) return;
    allowed_ -= kEntryCost;
    distance_[v] = distance;
    offer_.push(key_of(distance), v);
  }

  /// Phase one: by ascending distance, vertices whose distance comes from nowhere any more lose it,
  /// and those that it led to may. A distance counts as founded on smaller ones alone, which are
  /// settled: vertices that edges without length tie to each other cannot vouch for each other (and
  /// are found again in phase two).
  /// @return false where that would take too long
  bool lose(const AppliedBatch& batch) {
    lost_.clear();
    each_changed_length(batch, weighted(), [&](VertexId u, VertexId v, Weight had, Weight has) {
      if (!(has <= had) && reached(u) && distance_[u] + had == distance_[v]) suspect(v);
    });
    while (!suspect_.empty()) {
      const Weight old = std::bit_cast<Weight>(suspect_.take_least(nearest_));
      // Each once: the list of a hub is not read for every path to it that is gone.
      std::sort(nearest_.begin(), nearest_.end());
      nearest_.erase(std::unique(nearest_.begin(), nearest_.end()), nearest_.end());
      for (const VertexId v : nearest_) {
        if (!may_go_on()) return false;
        if (distance_[v] == old && !is_founded(v)) lose_distance(v);
      }
    }
    suspect_.clear();
    return true;
  }
  void lose_distance(VertexId v) {
    const Weight old = std::exchange(distance_[v], kInfinity);
    lost_.push_back(v);
    // Along an edge that has become shorter it had led to more than the sum.
    look_at(out(), v, [&](VertexId y, Weight w) {
      if (old + w <= distance_[y]) suspect(y);
      return true;
    });
  }
  bool is_founded(VertexId v) {
    bool founded = false;
    look_at(in(), v, [&, at = distance_[v]](VertexId x, Weight w) {
      founded = distance_[x] < at && distance_[x] + w <= at;
      return !founded;
    });
    return founded;
  }

  /// Phase two: Dijkstra's search from what is left around those that lost their distance, and from
  /// edges that have become shorter.
  /// @return false where that would take too long, or finds a bad weight
  bool gain(const AppliedBatch& batch) {
    for (const VertexId v : lost_) {
      if (!may_go_on()) return false;
      Weight nearest = kInfinity;
      look_at(in(), v, [&](VertexId x, Weight w) {
        nearest = std::min(nearest, distance_[x] + w);
        return true;
      });
      offer(nearest, v);
    }
    each_changed_length(batch, weighted(), [&](VertexId u, VertexId v, Weight had, Weight has) {
      if (!(has >= had) && reached(u)) offer_along(distance_[u], has, v);
    });
    while (!offer_.empty()) {
      const Weight distance = std::bit_cast<Weight>(offer_.take_least(nearest_));
      for (const VertexId v : nearest_) {
        if (!may_go_on()) return false;
        if (distance != distance_[v]) continue;  // a shorter path was offered since
        look_at(out(), v, [&](VertexId y, Weight w) {
          offer_along(distance, w, y);
          return true;
        });
      }
    }
    offer_.clear();
    return may_go_on();
  }
  /// From a vertex of such a distance, which there is. A weight that sssp() refuses ends the
  /// repair, so that it does.
  void offer_along(Weight distance, Weight w, VertexId v) {
    if (w >= 0)
      offer(distance + w, v);
    else
      allowed_ = 0;
  }

  VertexId source_;
  ReservedArray<Weight> distance_;
  VertexId known_ = 0;        // vertices
  std::int64_t allowed_ = 0;  // edges that a repair may still look at
  std::vector<VertexId> lost_;
  std::vector<VertexId> nearest_;        // in a heap
  RadixHeap<VertexId> suspect_, offer_;  // by key_of() a distance
};

}  // namespace dynamic

IncrementalSssp::IncrementalSssp(const DynamicGraph& graph, VertexId source) {
  dynamic::by_operators(graph, FollowBy::Host);
  its_ = std::make_unique<dynamic::FollowingDistances>(graph, source);
  its_->begin(graph.graph());
}
IncrementalSssp::IncrementalSssp(IncrementalSssp&&) noexcept = default;
IncrementalSssp& IncrementalSssp::operator=(IncrementalSssp&&) noexcept = default;
IncrementalSssp::~IncrementalSssp() = default;

void IncrementalSssp::update(const AppliedBatch& batch) {
  its_->follow(batch);
}

Weight IncrementalSssp::distance(VertexId v) const {
  return dynamic::whole(its_).distance(v);
}
std::vector<Weight> IncrementalSssp::distances() const {
  const dynamic::FollowingDistances& its = dynamic::whole(its_);
  std::vector<Weight> all(its.known());
  for (VertexId v = 0; v < all.size(); ++v) all[v] = its.distance(v);
  return all;
}
VertexId IncrementalSssp::reached() const {
  VertexId count = 0;
  for (const Weight d : distances()) count += d < kInfinity ? 1 : 0;
  return count;
}
Weight IncrementalSssp::max_distance() const {
  Weight farthest = 0;
  for (const Weight d : distances())
    if (d < kInfinity) farthest = std::max(farthest, d);
  return farthest;
}

}  // namespace fathom
