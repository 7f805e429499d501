#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include "fathom/algorithms/kcore/kcore.hpp"
#include "fathom/dynamic/follow/core_repair.hpp"
#include "fathom/dynamic/follow/incremental_parts.hpp"

namespace fathom {
namespace dynamic {
namespace {

/// A batch that changed more than this share of the edges has the graph peeled anew.
constexpr EdgeId kPeeledShare = 8;
/// A repair by one thread may take as many steps as this share of what the lists hold: it has taken
/// 40 % of the time of two threads that peel the graph anew (R-MAT 18 and a grid as large).
constexpr double kRepairedEntries = .75;

}  // namespace

/// The core numbers are those that kcore() found, until a batch is small enough to be followed edge
/// by edge; then those of a CoreRepair.
class FollowingCores final : public Followed {
 public:
  explicit FollowingCores(const DynamicGraph& g) : Followed(g), repair_(most(), pool()) {
    need_in_edges();
  }

  VertexId known() const {
    return found_ ? static_cast<VertexId>(found_->core.size()) : repair_.vertices();
  }
  std::uint32_t core(VertexId v) const { return found_ ? found_->core[v] : repair_.core(v); }

 private:
  void start(const Graph& now) override {
    hidden_.clear();
    found_.emplace(kcore(*graph->ctx, now));
  }
  void repair(const AppliedBatch& batch) override {
    const std::size_t changed = batch.changed_edges();
    const bool peels = are_many(changed, kPeeledShare) || too_large.holds(changed);
    if (!peels && found_) take_order();
    const auto followed = [&] {
      repair_.grow_to(vertices());
      const EdgeId entries = graph->edges() * (graph->both_directions() ? 2 : 1);
      repair_.allow(std::max<std::int64_t>(
          static_cast<std::int64_t>(kRepairedEntries * static_cast<double>(entries)), 4096));
      follow_edges(batch);
      return !repair_.gave_up();
    };
    if (peels || !try_repair(changed, followed)) compute_anew([&] { start(graph_of(graph)); });
  }

  /// What was peeled off first comes first; which order vertices of one round have does not matter.
  void take_order() {
    const auto n = static_cast<VertexId>(found_->core.size());
    std::vector<VertexId> next(found_->layers + std::size_t{2}), ordered(n);
    for (VertexId v = 0; v < n; ++v) ++next[found_->layer[v] + std::size_t{1}];
    for (std::size_t layer = 1; layer < next.size(); ++layer) next[layer] += next[layer - 1];
    for (VertexId v = 0; v < n; ++v) ordered[next[found_->layer[v]]++] = v;
    repair_.start_anew(n);
    for (const VertexId v : ordered) repair_.place(v, found_->core[v]);
    found_.reset();
  }

  /// Edges that are gone all at once, then those that have come, one by one.
  void follow_edges(const AppliedBatch& batch) {
    hide_new(batch);
    const auto shown = [this](VertexId v, const auto& visit) { around(v, visit); };
    each_once(batch, [&](const ChangedEdge& e) {
      for (std::uint32_t i = e.after; i < e.before; ++i) repair_.removed(e.source, e.target);
    });
    repair_.lower(shown);
    each_once(batch, [&](const ChangedEdge& e) {
      for (std::uint32_t i = e.before; i < e.after && !repair_.gave_up(); ++i) {
        show(e.source, e.target, false);
        show(e.target, e.source, graph->both_directions());
        repair_.inserted(e.source, e.target, shown);
      }
    });
    hidden_.clear();
  }
  /// Undirected edges in one direction, and no loops, which do not count.
  template <class Visit>
  void each_once(const AppliedBatch& batch, const Visit& visit) const {
    for (const ChangedEdge& e : batch.edges())
      if (graph->options.directed ? e.source != e.target : e.source < e.target) visit(e);
  }

  // ---- edges that have come and are in the lists, but not followed yet

  struct HiddenEdge {
    VertexId vertex, neighbour;
    bool of_in;              // in which lists of `vertex`
    std::uint32_t count;     // edges, the first of these in the list
    std::uint32_t left = 0;  // of them, while the list is walked
    auto key() const { return std::tie(vertex, of_in, neighbour); }
  };

  void hide_new(const AppliedBatch& batch) {
    hidden_.clear();
    for (const ChangedEdge& e : batch.edges()) {
      if (e.after <= e.before || e.source == e.target) continue;
      hidden_.push_back({e.source, e.target, false, e.after - e.before});
      if (graph->both_directions())
        hidden_.push_back({e.target, e.source, true, e.after - e.before});
    }
    std::sort(hidden_.begin(), hidden_.end(),
              [](const HiddenEdge& a, const HiddenEdge& b) { return a.key() < b.key(); });
  }
  void show(VertexId v, VertexId neighbour, bool of_in) {
    --std::lower_bound(hidden_.begin(), hidden_.end(), std::tie(v, of_in, neighbour),
                       [](const HiddenEdge& e, const auto& key) { return e.key() < key; })
          ->count;
  }
  template <class Visit>
  void around(VertexId v, const Visit& visit) {
    list_of(v, out(), false, visit);
    if (graph->both_directions()) list_of(v, in(), true, visit);
  }
  template <class Visit>
  void list_of(VertexId v, const DynamicEdges& lists, bool of_in, const Visit& visit) {
    const auto first = std::lower_bound(
        hidden_.begin(), hidden_.end(), std::tie(v, of_in),
        [](const HiddenEdge& e, const auto& key) { return std::tie(e.vertex, e.of_in) < key; });
    auto last = first;
    for (; last != hidden_.end() && last->vertex == v && last->of_in == of_in; ++last)
      last->left = last->count;
    each_target(lists, v, [&](VertexId x) {
      if (x == v) return;
      if (first != last) {
        const auto its = std::lower_bound(
            first, last, x, [](const HiddenEdge& e, VertexId key) { return e.neighbour < key; });
        if (its != last && its->neighbour == x && its->left > 0) {
          --its->left;
          return;
        }
      }
      visit(x);
    });
  }

  std::optional<KcoreResult> found_;
  CoreRepair repair_;
  std::vector<HiddenEdge> hidden_;  // ascending by key()
};

}  // namespace dynamic

IncrementalCores::IncrementalCores(const DynamicGraph& graph) {
  dynamic::by_operators(graph, FollowBy::Host);
  its_ = std::make_unique<dynamic::FollowingCores>(graph);
  its_->begin(graph.graph());
}
IncrementalCores::IncrementalCores(IncrementalCores&&) noexcept = default;
IncrementalCores& IncrementalCores::operator=(IncrementalCores&&) noexcept = default;
IncrementalCores::~IncrementalCores() = default;

void IncrementalCores::update(const AppliedBatch& batch) {
  its_->follow(batch);
}

std::uint32_t IncrementalCores::core(VertexId v) const {
  return dynamic::whole(its_).core(v);
}
std::vector<std::uint32_t> IncrementalCores::cores() const {
  const dynamic::FollowingCores& its = dynamic::whole(its_);
  std::vector<std::uint32_t> all(its.known());
  for (VertexId v = 0; v < all.size(); ++v) all[v] = its.core(v);
  return all;
}
std::uint32_t IncrementalCores::degeneracy() const {
  const std::vector<std::uint32_t> all = cores();
  return all.empty() ? 0 : *std::max_element(all.begin(), all.end());
}

}  // namespace fathom
