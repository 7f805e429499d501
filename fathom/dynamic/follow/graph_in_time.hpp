// A graph while the changes of a batch are made one after the other, each at a time of its own,
// from the lists that there are when all of them have been made. So what is counted of each change
// adds up to what is counted of all, however they are related (Tangwongsan, Pavan and Tirthapura,
// CIKM 2013).
#pragma once

#include <algorithm>
#include <iterator>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "fathom/dynamic/dynamic_state.hpp"
#include "fathom/dynamic/lists/list_walk.hpp"

namespace fathom::dynamic {

/// A list of more than so many times the vertices that are looked for is searched, not read.
inline constexpr std::size_t kSearchedFrom = 16;

/// Two vertices that have become neighbours, or are none any more.
struct ChangedPair {
  VertexId u, v;  // u < v
  bool comes;
};

/// The same, seen from one of them.
struct ChangedNeighbour {
  VertexId vertex, neighbour;
  std::uint32_t time;
  bool comes;
};

/// The simple graph under a graph that changes, at each of these times: pairs that stop being
/// neighbours go first, then the others come. Reading it changes nothing.
class GraphInTime {
 public:
  GraphInTime(const DynamicGraph::State& graph, const AppliedBatch& batch)
      : out_(graph.view(false)), in_(graph.view(graph.both_directions())) {
    both_ = graph.both_directions();
    collect(batch);
    // Which order does not matter, only that there is one: triangles of several changed pairs are
    // counted with the last of them to come, or the first to go.
    std::stable_partition(pair_.begin(), pair_.end(),
                          [](const ChangedPair& p) { return !p.comes; });
    change_.reserve(2 * pair_.size());
    for (std::uint32_t time = 0; time < pair_.size(); ++time) {
      const ChangedPair& p = pair_[time];
      change_.push_back({p.u, p.v, time, p.comes});
      change_.push_back({p.v, p.u, time, p.comes});
    }
    std::sort(change_.begin(), change_.end(), before);
  }

  /// In the order of their times, which are their places here.
  const std::vector<ChangedPair>& pairs() const { return pair_; }

  struct Scratch {
    std::vector<VertexId> near, far, common, listed;
  };
  /// The common neighbours of a pair right after its time.
  const std::vector<VertexId>& common(std::uint32_t time, Scratch& scratch) const {
    auto [few, many] = std::pair(pair_[time].u, pair_[time].v);
    if (entries(many) < entries(few)) std::swap(few, many);
    scratch.common.clear();
    neighbours(few, time, scratch.near, scratch);
    if (out_.layout.link_words == 0 && entries(many) / kSearchedFrom > scratch.near.size()) {
      for (const VertexId w : scratch.near)
        if (w != many && are_neighbours(many, w, time)) scratch.common.push_back(w);
      return scratch.common;
    }
    neighbours(many, time, scratch.far, scratch);
    std::set_intersection(scratch.near.begin(), scratch.near.end(), scratch.far.begin(),
                          scratch.far.end(), std::back_inserter(scratch.common));
    return scratch.common;
  }

 private:
  static bool before(const ChangedNeighbour& a, const ChangedNeighbour& b) {
    return std::tie(a.vertex, a.neighbour) < std::tie(b.vertex, b.neighbour);
  }

  void collect(const AppliedBatch& batch) {
    for (const ChangedEdge& e : batch.edges()) {
      if (e.source == e.target || (!both_ && e.target < e.source)) continue;
      std::uint32_t had = e.before, has = e.after;
      if (both_) {
        const std::optional<ChangedEdge> reverse = changed(batch, e.target, e.source);
        if (reverse && e.target < e.source) continue;  // is looked at from there
        const std::uint32_t still = reverse ? 0 : count_edges(out_, e.target, e.source);
        had += reverse ? reverse->before : still;
        has += reverse ? reverse->after : still;
      }
      if ((had == 0) == (has == 0)) continue;
      pair_.push_back({std::min(e.source, e.target), std::max(e.source, e.target), had == 0});
    }
  }
  static std::optional<ChangedEdge> changed(const AppliedBatch& batch, VertexId u, VertexId v) {
    const std::span<const ChangedEdge> all = batch.edges();
    const auto at = std::lower_bound(
        all.begin(), all.end(), std::pair(u, v),
        [](const ChangedEdge& e, const auto& its) { return std::pair(e.source, e.target) < its; });
    if (at == all.end() || at->source != u || at->target != v) return std::nullopt;
    return *at;
  }

  /// Of the lists as they are.
  std::size_t entries(VertexId v) const {
    return std::size_t{out_.degree(v)} + (both_ ? in_.degree(v) : 0);
  }
  bool are_neighbours(VertexId v, VertexId w, std::uint32_t time) const {
    const ChangedNeighbour key{v, w, 0, false};
    const auto at = std::lower_bound(change_.begin(), change_.end(), key, before);
    if (at != change_.end() && at->vertex == v && at->neighbour == w)
      return at->comes == (at->time <= time);
    return find_edge(out_, v, w).found || (both_ && find_edge(in_, v, w).found);
  }
  /// Right after a time; ascending, each once, without v.
  void neighbours(VertexId v, std::uint32_t time, std::vector<VertexId>& all,
                  Scratch& scratch) const {
    std::vector<VertexId>& listed = scratch.listed;
    listed.clear();
    const auto take = [&](VertexId w) {
      if (w != v) listed.push_back(w);
    };
    each_target(out_, v, take);
    const auto of_out = static_cast<std::ptrdiff_t>(listed.size());
    if (both_) each_target(in_, v, take);
    if (out_.layout.ascending())
      std::inplace_merge(listed.begin(), listed.begin() + of_out, listed.end());
    else
      std::sort(listed.begin(), listed.end());
    listed.erase(std::unique(listed.begin(), listed.end()), listed.end());
    // Leave out those that have not come yet, and put in those that have not gone yet.
    all.clear();
    auto at = listed.begin();
    for (auto c = std::lower_bound(change_.begin(), change_.end(), ChangedNeighbour{v, 0, 0, false},
                                   before);
         c != change_.end() && c->vertex == v; ++c) {
      for (; at != listed.end() && *at < c->neighbour; ++at) all.push_back(*at);
      if (at != listed.end() && *at == c->neighbour) ++at;
      if (c->comes == (c->time <= time)) all.push_back(c->neighbour);
    }
    all.insert(all.end(), at, listed.end());
  }

  DynamicEdges out_, in_;
  bool both_;
  std::vector<ChangedPair> pair_;
  std::vector<ChangedNeighbour> change_;
};

}  // namespace fathom::dynamic
