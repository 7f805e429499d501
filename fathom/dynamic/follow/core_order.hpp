// The vertices of a graph in an order in which they can be peeled, level by level (the k-order of
// Zhang, Yu, Zhang and Qin, "A fast order-based approach for core maintenance", ICDE 2017). Places
// within a level are told apart by labels, which are spread again where there is no room between
// two (Bender, Cole, Demaine, Farach-Colton and Zito, "Two simplified algorithms for maintaining
// order in a list", ESA 2002).
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "fathom/core/platform.hpp"
#include "fathom/dynamic/pages/reserved_memory.hpp"

namespace fathom::dynamic {

/// A list of vertices per level. Nothing here knows edges.
///
/// Invariants: a vertex is in the list of its level, once; labels ascend strictly along each list.
class CoreOrder {
 public:
  CoreOrder(VertexId most, const std::shared_ptr<MemoryPool>& pool)
      : level_(most, pool), next_(most, pool), previous_(most, pool), label_(most, pool) {}

  /// Room for so many vertices, none of which is in a list.
  void start_anew(VertexId vertices) {
    grow_to(vertices);
    ends_.clear();
  }
  /// More room. @throws Error(DoesNotFit)
  void grow_to(VertexId vertices) {
    level_.grow_to(vertices);
    next_.grow_to(vertices);
    previous_.grow_to(vertices);
    label_.grow_to(vertices);
  }

  std::uint32_t level(VertexId v) const { return level_[v]; }
  /// Whether u comes before v.
  bool before(VertexId u, VertexId v) const {
    return level_[u] != level_[v] ? level_[u] < level_[v] : label_[u] < label_[v];
  }
  /// The same where both are of one level.
  bool before_in_level(VertexId u, VertexId v) const { return label_[u] < label_[v]; }

  // Of a vertex that is in no list.
  void append(VertexId v, std::uint32_t level) {
    const VertexId last = ends_of(level).last;
    put(v, level, last, kNoVertex);
    if (last == kNoVertex) {
      label_[v] = kMiddle;
    } else {
      if (label_[last] > kMost - kStep) renumber(level);
      label_[v] = label_[last] + kStep;
    }
  }
  void prepend(VertexId v, std::uint32_t level) {
    const VertexId first = ends_of(level).first;
    put(v, level, kNoVertex, first);
    if (first == kNoVertex) {
      label_[v] = kMiddle;
    } else {
      if (label_[first] < kStep) renumber(level);
      label_[v] = label_[first] - kStep;
    }
  }
  /// Behind p, in its level.
  void insert_after(VertexId p, VertexId v) {
    const VertexId next = next_[p];
    if (next == kNoVertex) return append(v, level_[p]);
    if (label_[next] - label_[p] < 2) make_room(p);
    put(v, level_[p], p, next);
    label_[v] = label_[p] + (label_[next] - label_[p]) / 2;
  }
  /// Takes a vertex out of its list.
  void remove(VertexId v) {
    Ends& ends = ends_[level_[v]];
    (previous_[v] == kNoVertex ? ends.first : next_[previous_[v]]) = next_[v];
    (next_[v] == kNoVertex ? ends.last : previous_[next_[v]]) = previous_[v];
  }

  /// Whether the invariants hold of a level. For tests.
  bool valid(std::uint32_t level) const {
    VertexId last = kNoVertex;
    for (VertexId v = level < ends_.size() ? ends_[level].first : kNoVertex; v != kNoVertex;
         last = v, v = next_[v])
      if (level_[v] != level || previous_[v] != last || (last != kNoVertex && !before(last, v)))
        return false;
    return level >= ends_.size() || ends_[level].last == last;
  }

 private:
  struct Ends {
    VertexId first = kNoVertex, last = kNoVertex;
  };
  static constexpr std::uint64_t kMost = ~std::uint64_t{0}, kMiddle = std::uint64_t{1} << 63;
  static constexpr std::uint64_t kStep = std::uint64_t{1} << 32;
  /// Labels of 2^i in a row are spread again when fewer than (2 / kOverflow)^i of them are taken.
  static constexpr double kOverflow = 1.5;

  Ends& ends_of(std::uint32_t level) {
    if (level >= ends_.size()) ends_.resize(level + std::size_t{1});
    return ends_[level];
  }
  void put(VertexId v, std::uint32_t level, VertexId previous, VertexId next) {
    level_[v] = level;
    previous_[v] = previous;
    next_[v] = next;
    (previous == kNoVertex ? ends_[level].first : next_[previous]) = v;
    (next == kNoVertex ? ends_[level].last : previous_[next]) = v;
  }
  /// Labels behind p such that there is one between its own and the next. The smallest range around
  /// p that is sparse enough is spread evenly.
  void make_room(VertexId p) {
    VertexId first = p, last = p;
    std::uint64_t count = 1;
    double most = 1;
    for (int bits = 1; bits < 64; ++bits) {
      const std::uint64_t mask = (std::uint64_t{1} << bits) - 1, from = label_[p] & ~mask;
      for (; previous_[first] != kNoVertex && label_[previous_[first]] >= from; ++count)
        first = previous_[first];
      for (; next_[last] != kNoVertex && label_[next_[last]] <= (from | mask); ++count)
        last = next_[last];
      most *= 2 / kOverflow;
      if (static_cast<double>(count) >= most || mask / count < 2) continue;
      return spread(first, count, from, mask / count);
    }
    renumber(level_[p]);
  }
  void spread(VertexId first, std::uint64_t count, std::uint64_t from, std::uint64_t step) {
    for (; count > 0; --count, from += step, first = next_[first]) label_[first] = from;
  }
  /// All of a level, around the middle.
  void renumber(std::uint32_t level) {
    std::uint64_t count = 0;
    for (VertexId v = ends_[level].first; v != kNoVertex; v = next_[v]) ++count;
    const std::uint64_t step = std::min(kStep, kMiddle / (count + 1));
    spread(ends_[level].first, count, kMiddle - count / 2 * step, step);
  }

  ReservedArray<std::uint32_t> level_;
  ReservedArray<VertexId> next_, previous_;
  ReservedArray<std::uint64_t> label_;
  std::vector<Ends> ends_;  // [level]
};

}  // namespace fathom::dynamic
