// Which edges of one list are drawn: positions within the list, ascending. Draws are words of a
// random stream of the list's own, by their number or by the position, so that they depend on
// nothing else.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "fathom/algorithms/neighbor_sampling/growing_array.hpp"
#include "fathom/algorithms/neighbor_sampling/neighbor_sampling.hpp"
#include "fathom/core/random.hpp"

namespace fathom {

/// What is drawn from each list of a hop.
struct ListRule {
  std::int64_t fan_out = 0;  // kAllNeighbors: every edge
  bool replace = false;
  bool weighted = false;                // by weight, unless it is every edge
  const std::int64_t* times = nullptr;  // by position in all lists; null: edges have none
  TemporalChoice temporal = TemporalChoice::Any;
  const NeighborSamplingOptions* options = nullptr;  // for errors: what vertices are called

  /// How many of a list at most.
  EdgeId most(EdgeId degree) const {
    const auto k = static_cast<EdgeId>(fan_out);
    if (fan_out < 0) return degree;
    return replace ? (degree > 0 ? k : 0) : std::min(degree, k);
  }
  bool reads_weights() const { return weighted && fan_out > 0; }
};

struct ListToSample {
  VertexId vertex;
  EdgeId first, degree;  // positions [first, first + degree) of all lists
  std::int64_t until;    // no later edges, where edges have times
  RandomStream random;
};

/// Draws from one list at a time; each thread has its own.
class ListChooser {
 public:
  explicit ListChooser(const std::shared_ptr<MemoryPool>& pool)
      : taken_(pool), nearest_(pool), drawn_(pool) {}

  /// Writes the positions to into[0 .. rule.most(degree)), returns how many there are.
  /// weights(visit) calls visit(i, weight) for each edge of the list, in order; only called where
  /// rule.reads_weights().
  /// @throws Error(BadInput) for a weight that is negative or not finite.
  template <class Weights>
  EdgeId choose(const ListRule& rule, const ListToSample& list, const Weights& weights,
                EdgeId* into) {
    if (list.degree == 0 || rule.fan_out == 0) return 0;
    if (!rule.reads_weights()) return choose_alike(rule, list, into);
    if (rule.replace) return choose_again(rule, list, weights, into);
    return choose_nearest(rule, list, weights, into);
  }

 private:
  /// An edge at a random distance; the nearest are drawn.
  struct Distance {
    double distance;
    EdgeId i;
    bool operator<(const Distance& o) const {
      return distance != o.distance ? distance < o.distance : i < o.i;
    }
  };

  /// All edges that may be drawn are as likely.
  EdgeId choose_alike(const ListRule& rule, const ListToSample& list, EdgeId* into);
  /// `count` of `among` different ones (Bentley and Floyd, "A sample of brilliance", CACM 30(9),
  /// 1987), or any `count` of them.
  EdgeId draw(EdgeId count, EdgeId among, bool replace, const RandomStream& random, EdgeId* into);
  void draw_many(EdgeId count, EdgeId among, const RandomStream& random, EdgeId* into);
  static EdgeId latest(const ListRule& rule, const ListToSample& list, EdgeId* into);

  static bool in_time(const ListRule& rule, const ListToSample& list, EdgeId i) {
    return !rule.times || rule.times[list.first + i] <= list.until;
  }
  /// @throws Error(BadInput) when it is none to draw by.
  static bool has_weight(const ListRule& rule, const ListToSample& list, EdgeId i, Weight w) {
    if (!(w >= 0 && w <= std::numeric_limits<Weight>::max())) refuse_weight(rule, list, i, w);
    return w > 0;
  }
  [[noreturn]] static void refuse_weight(const ListRule& rule, const ListToSample& list, EdgeId i,
                                         Weight w);

  /// Without replacement by weight: each edge is at an exponentially distributed distance of mean
  /// 1 / weight, and the nearest are drawn (Efraimidis and Spirakis, 2006: keys u^(1/w), whose
  /// negative logarithms these are).
  template <class Weights>
  EdgeId choose_nearest(const ListRule& rule, const ListToSample& list, const Weights& weights,
                        EdgeId* into) {
    const auto most = static_cast<std::size_t>(rule.most(list.degree));
    const bool all = list.degree == most;
    nearest_.clear();
    double bound = std::numeric_limits<double>::infinity();
    weights([&](EdgeId i, Weight w) {
      if (!has_weight(rule, list, i, w) || !in_time(rule, list, i)) return;
      if (all) return nearest_.push({0, i});
      const double u = unit_interval(list.random.at(i));
      // -log(1 - u) >= u: most edges of a long list need no logarithm.
      if (nearest_.size() == most && u >= bound * double{w}) return;
      const Distance its{-std::log1p(-u) / double{w}, i};
      if (nearest_.size() == most) {
        if (!(its < nearest_[0])) return;
        std::pop_heap(nearest_.data(), nearest_.data() + most);
        nearest_[most - 1] = its;
      } else {
        nearest_.push(its);
      }
      std::push_heap(nearest_.data(), nearest_.data() + nearest_.size());
      if (nearest_.size() == most) bound = nearest_[0].distance;
    });
    for (std::size_t n = 0; n < nearest_.size(); ++n) into[n] = nearest_[n].i;
    std::sort(into, into + nearest_.size());
    return nearest_.size();
  }

  /// With replacement by weight: places in the running sum of weights.
  template <class Weights>
  EdgeId choose_again(const ListRule& rule, const ListToSample& list, const Weights& weights,
                      EdgeId* into) {
    double total = 0;
    EdgeId last = 0;
    weights([&](EdgeId i, Weight w) {
      if (!has_weight(rule, list, i, w) || !in_time(rule, list, i)) return;
      total += double{w};
      last = i;
    });
    if (total == 0) return 0;
    const auto count = static_cast<std::size_t>(rule.fan_out);
    drawn_.resize(count);
    for (std::size_t n = 0; n < count; ++n) drawn_[n] = unit_interval(list.random.at(n)) * total;
    std::sort(drawn_.data(), drawn_.data() + count);
    double running = 0;
    std::size_t n = 0;
    weights([&](EdgeId i, Weight w) {
      if (w == 0 || !in_time(rule, list, i)) return;
      running += double{w};
      for (; n < count && drawn_[n] < running; ++n) into[n] = i;
    });
    for (; n < count; ++n) into[n] = last;  // a product that was rounded up to the total
    return count;
  }

  GrowingArray<EdgeId> taken_;  // a hash set, while many are drawn
  GrowingArray<Distance> nearest_;
  GrowingArray<double> drawn_;
};

}  // namespace fathom
