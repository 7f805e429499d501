// A forest of shortest paths that is repaired after a batch, in two phases (Ramalingam and Reps,
// "An incremental algorithm for a generalization of the shortest-path problem", J. Algorithms 1996;
// for levels already Even and Shiloach, "An on-line edge-deletion problem", JACM 1981): first, by
// ascending level, vertices that have lost their parent look for another one above them, and those
// that find none leave their children without; then these get the levels of what is left around
// them, nearest first.
#pragma once

#include <limits>
#include <vector>

#include "fathom/algorithms/bfs/bfs.hpp"
#include "fathom/dynamic/follow/radix_heap.hpp"
#include "fathom/dynamic/pages/reserved_memory.hpp"

namespace fathom::dynamic {

/// Invariants, between calls: level[v] == kUnreached exactly when parent[v] == kNoVertex; a root
/// has itself as parent and level 0; other parents have a lower level.
class SearchForest {
 public:
  SearchForest(VertexId most, const std::shared_ptr<MemoryPool>& pool)
      : level_(most, pool), parent_(most, pool) {}

  VertexId vertices() const { return vertices_; }
  std::uint32_t level(VertexId v) const { return level_[v]; }
  VertexId parent(VertexId v) const { return parent_[v]; }
  bool reached(VertexId v) const { return parent_[v] != kNoVertex; }

  /// New vertices are unreached. @throws Error(DoesNotFit)
  void grow_to(VertexId vertices) {
    if (vertices <= vertices_) return;
    level_.grow_to(vertices);
    parent_.grow_to(vertices);
    for (; vertices_ < vertices; ++vertices_) set(vertices_, kUnreached, kNoVertex);
  }
  void set(VertexId v, std::uint32_t level, VertexId parent) {
    level_[v] = level;
    parent_[v] = parent;
  }

  /// How many vertices adopt() and relax() may look at from now on.
  void allow(std::size_t vertices) { allowed_ = vertices; }
  /// Whether that was not enough: they have stopped, and every level has to be set anew.
  bool gave_up() const { return gave_up_; }
  /// Every level is set next: forgets what is left of a repair.
  void start_anew() {
    orphan_.clear();
    offer_.clear();
    gave_up_ = false;
  }

  /// v has lost the edge from its parent.
  void orphan(VertexId v) {
    parent_[v] = kNoVertex;
    orphan_.push(level_[v], v);
  }

  /// Phase one. `in(v, visit)` and `out(v, visit)` show the neighbours through which paths come and
  /// go on, until a visit returns false. Returns whom no one above takes; their level is
  /// kUnreached.
  template <class In, class Out>
  std::vector<VertexId> adopt(const In& in, const Out& out) {
    std::vector<VertexId> lost;
    while (!orphan_.empty()) {
      const std::uint32_t level = orphan_.take_least(nearest_);
      for (const VertexId v : nearest_) {
        if (!may_go_on()) return lost;
        if (!reached(v)) look_above(v, level, in);
        if (reached(v)) continue;
        lost.push_back(v);
        out(v, [&, above = v](VertexId y) {
          if (parent_[y] == above && y != above) orphan(y);
          return true;
        });
      }
    }
    orphan_.clear();
    for (const VertexId v : lost) level_[v] = kUnreached;
    return lost;
  }

  /// A path to v through its neighbour u, which v takes if it is shorter; relax() goes on from
  /// there.
  void offer(VertexId u, VertexId v) {
    if (!reached(u) || level_[u] + 1 >= level_[v]) return;
    set(v, level_[u] + 1, u);
    offer_.push(level_[v], v);
  }

  /// Phase two: what follows from what was offered, nearest first. With `shorten` levels stay those
  /// of shortest paths; without it only the unreached are given one.
  template <class Out>
  void relax(bool shorten, const Out& out) {
    while (!offer_.empty()) {
      const std::uint32_t level = offer_.take_least(nearest_);
      for (const VertexId v : nearest_) {
        if (!may_go_on()) return;
        if (level != level_[v]) continue;  // a shorter path was offered since
        out(v, [&, from = v](VertexId y) {
          if (shorten || !reached(y)) offer(from, y);
          return true;
        });
      }
    }
    offer_.clear();
  }

 private:
  /// v becomes the child of a neighbour above `level`, if there is one.
  template <class In>
  void look_above(VertexId v, std::uint32_t level, const In& in) {
    in(v, [&](VertexId x) {
      if (!reached(x) || level_[x] >= level) return true;
      parent_[v] = x;
      return false;
    });
  }
  bool may_go_on() {
    if (allowed_ > 0) {
      --allowed_;
      return true;
    }
    gave_up_ = true;
    return false;
  }

  ReservedArray<std::uint32_t> level_;
  ReservedArray<VertexId> parent_;
  VertexId vertices_ = 0;
  std::size_t allowed_ = std::numeric_limits<std::size_t>::max();
  bool gave_up_ = false;
  RadixHeap<VertexId> orphan_, offer_;  // by level
  std::vector<VertexId> nearest_;       // of one of them
};

}  // namespace fathom::dynamic
