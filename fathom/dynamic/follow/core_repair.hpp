// Core numbers of a graph that loses and gets edges, and the order in which its vertices can be
// peeled. An insertion looks at the vertices behind its first end in that order, as far as they may
// rise (Zhang, Yu, Zhang and Qin, "A fast order-based approach for core maintenance", ICDE 2017, as
// simplified by Guo and Sekerinski, "Simplified algorithms for order-based core maintenance",
// 2022). Deletions are taken together: core numbers fall until each vertex has as many neighbours
// in its core as its number says (Montresor, De Pellegrini and Miorandi, "Distributed k-core
// decomposition", TPDS 24(2), 2013), and those that fell are peeled anew within their new level.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "fathom/dynamic/follow/core_order.hpp"

namespace fathom::dynamic {

/// `around(v, visit)`, which calls are given, shows each neighbour of v as often as there are edges
/// between them, v itself never.
///
/// Invariants, between calls: core(v) is the core number, and the level of v in the order;
/// later[v], where it is known, is the number of edges to vertices behind v, at most core(v);
/// support[v], where it is known, the number of edges to vertices of no smaller core number, at
/// least core(v).
class CoreRepair {
 public:
  CoreRepair(VertexId most, const std::shared_ptr<MemoryPool>& pool)
      : order_(most, pool),
        core_(most, pool),
        later_(most, pool),
        support_(most, pool),
        earlier_(most, pool),
        mark_(most, pool) {}

  std::uint32_t core(VertexId v) const { return core_[v]; }
  VertexId vertices() const { return vertices_; }
  /// Steps that calls may take from now on: an edge that is seen is one, a vertex that is queued as
  /// many as that takes.
  void allow(std::int64_t steps) { allowed_ = steps; }
  /// Whether they took more: nothing holds then but after start_anew().
  bool gave_up() const { return allowed_ <= 0; }

  /// Forgets everything, and has so many vertices of core number 0 without an edge. @throws
  /// Error(DoesNotFit)
  void start_anew(VertexId vertices) {
    vertices_ = 0;
    order_.start_anew(vertices);
    grow_arrays(vertices);
    queue_.clear();
    vertices_ = vertices;
  }
  /// The core number and the next place in the order, from first to last: each vertex once.
  void place(VertexId v, std::uint32_t core) {
    core_[v] = core;
    later_[v] = support_[v] = kUnknown;
    earlier_[v] = 0;
    mark_[v] = kNone;
    order_.append(v, core);
  }
  /// More vertices, without edges. @throws Error(DoesNotFit)
  void grow_to(VertexId vertices) {
    if (vertices <= vertices_) return;
    order_.grow_to(vertices);
    grow_arrays(vertices);
    for (; vertices_ < vertices; ++vertices_) place(vertices_, 0);
  }

  /// An edge that is gone. Of all of a batch first, then lower().
  void removed(VertexId u, VertexId v) {
    if (order_.before(v, u)) std::swap(u, v);
    known(later_[u], -1);
    if (core_[v] >= core_[u]) known(support_[u], -1);
    if (core_[u] >= core_[v]) known(support_[v], -1);
    if (core_[u] <= core_[v]) look_again(u);
    if (core_[v] <= core_[u]) look_again(v);
  }
  /// Lets core numbers fall to what the edges that are left support.
  template <class Around>
  void lower(const Around& around) {
    std::vector<VertexId> fell;
    for (std::size_t at = 0; at < queue_.size() && !gave_up(); ++at) {
      const VertexId v = queue_[at];
      mark_[v] &= ~kQueued;
      if (support_of(v, around) >= core_[v]) continue;
      if ((mark_[v] & kFell) == 0) fell.push_back(v);
      mark_[v] |= kFell;
      const std::uint32_t old = std::exchange(core_[v], supported_core(v, around));
      // Those that counted v do so no more where they are of a core that it has left.
      see(v, around, [&](VertexId x) {
        if (core_[x] <= core_[v] || core_[x] > old) return;
        known(support_[x], -1);
        if (support_[x] == kUnknown || support_[x] < core_[x]) look_again(x);
      });
    }
    if (gave_up()) return;
    queue_.clear();
    reorder(fell, around);
  }

  /// An edge that has come, which `around` shows already.
  template <class Around>
  void inserted(VertexId u, VertexId v, const Around& around) {
    if (order_.before(v, u)) std::swap(u, v);
    known(later_[u], 1);
    if (core_[v] >= core_[u]) known(support_[u], 1);
    if (core_[u] >= core_[v]) known(support_[v], 1);
    if (later_of(u, around) <= core_[u]) return;
    const std::uint32_t level = core_[u];
    candidate_.clear();
    touched_.clear();
    push(u);
    while (!queue_.empty() && !gave_up()) {
      const VertexId w = pop();
      if (earlier_[w] + later_of(w, around) > level)
        rise_perhaps(w, level, around);
      else if (earlier_[w] > 0)
        stay(w, level, around);
    }
    if (gave_up()) return;
    rise(level, around);
    for (const VertexId w : touched_) earlier_[w] = 0, mark_[w] = kNone;
  }

  /// Whether the order is one of levels, and whatever is known is right. For tests.
  template <class Around>
  bool valid(const Around& around) const {
    std::uint32_t most = 0;
    for (VertexId v = 0; v < vertices_; ++v) {
      std::uint32_t later = 0, support = 0;
      around(v, [&](VertexId x) {
        later += order_.before(v, x) ? 1 : 0;
        support += core_[x] >= core_[v] ? 1 : 0;
      });
      if (order_.level(v) != core_[v] || later > core_[v] || support < core_[v]) return false;
      if (later_[v] != kUnknown && later_[v] != later) return false;
      if (support_[v] != kUnknown && support_[v] != support) return false;
      if (earlier_[v] != 0 || mark_[v] != kNone) return false;
      most = std::max(most, core_[v]);
    }
    for (std::uint32_t level = 0; level <= most; ++level)
      if (!order_.valid(level)) return false;
    return true;
  }

 private:
  static constexpr std::uint32_t kUnknown = std::numeric_limits<std::uint32_t>::max();
  // What a call says of a vertex.
  static constexpr std::uint8_t kNone = 0, kQueued = 1, kFell = 2, kCandidate = 4, kLeaves = 8;
  /// To queue a vertex takes as long as to see so many edges; on a heap, and with its place in the
  /// order to be changed, so many.
  static constexpr std::int64_t kQueueSteps = 8, kHeapSteps = 64;

  void grow_arrays(VertexId vertices) {
    core_.grow_to(vertices);
    later_.grow_to(vertices);
    support_.grow_to(vertices);
    earlier_.grow_to(vertices);
    mark_.grow_to(vertices);
  }
  static void known(std::uint32_t& count, int change) {
    if (count != kUnknown) count += static_cast<std::uint32_t>(change);
  }
  template <class Around, class Visit>
  void see(VertexId v, const Around& around, const Visit& visit) {
    around(v, [&](VertexId x) {
      --allowed_;
      visit(x);
    });
  }
  /// Of the neighbours of v those that count, for what is found once and then kept: that is half as
  /// many steps.
  template <class Around, class Counts>
  std::uint32_t count_around(VertexId v, const Around& around, const Counts& counts) {
    std::uint32_t count = 0, seen = 0;
    around(v, [&](VertexId x) {
      ++seen;
      count += counts(x) ? 1 : 0;
    });
    allowed_ -= seen / 2;
    return count;
  }
  template <class Around>
  std::uint32_t later_of(VertexId v, const Around& around) {
    if (later_[v] == kUnknown)
      later_[v] = count_around(v, around, [&](VertexId x) { return order_.before(v, x); });
    return later_[v];
  }
  template <class Around>
  std::uint32_t support_of(VertexId v, const Around& around) {
    if (support_[v] == kUnknown)
      support_[v] = count_around(v, around, [&](VertexId x) { return core_[x] >= core_[v]; });
    return support_[v];
  }

  // ---- deletions ----

  void look_again(VertexId v) {
    if ((mark_[v] & kQueued) != 0) return;
    mark_[v] |= kQueued;
    allowed_ -= kQueueSteps;
    queue_.push_back(v);
  }
  /// The largest k below core(v) such that v has k edges to vertices of core number k or more. Sets
  /// the support that v has then.
  template <class Around>
  std::uint32_t supported_core(VertexId v, const Around& around) {
    const std::uint32_t old = core_[v];
    of_core_.assign(std::size_t{old} + 1, 0);
    allowed_ -= old / 8;
    see(v, around, [&](VertexId x) { ++of_core_[std::min(core_[x], old)]; });
    std::uint32_t k = old, support = of_core_[old];
    while (k > 0 && support < k) support += of_core_[--k];
    support_[v] = support;
    return k;
  }
  /// Has those that fell stand at the end of their new levels, in an order in which they can be
  /// peeled: there is one, as none of them is of a higher core. Their places are those of their old
  /// levels until then.
  template <class Around>
  void reorder(std::vector<VertexId>& fell, const Around& around) {
    std::sort(fell.begin(), fell.end(),
              [&](VertexId a, VertexId b) { return core_[a] < core_[b]; });
    for (auto first = fell.begin(); first != fell.end() && !gave_up();) {
      const std::uint32_t level = core_[*first];
      const auto last =
          std::find_if(first, fell.end(), [&](VertexId v) { return core_[v] != level; });
      peel(std::span(first, last), level, around);
      first = last;
    }
  }
  template <class Around>
  void peel(std::span<const VertexId> fell, std::uint32_t level, const Around& around) {
    // earlier_: edges to those that will be behind, of this level or higher ones.
    std::vector<VertexId>& ready = queue_;
    ready.clear();
    const auto is_left = [&](VertexId x) { return core_[x] == level && (mark_[x] & kFell) != 0; };
    for (const VertexId v : fell) {
      std::uint32_t left = 0;
      see(v, around, [&](VertexId x) { left += core_[x] > level || is_left(x) ? 1 : 0; });
      earlier_[v] = left;
    }
    const auto make_ready = [&](VertexId v) {
      if (earlier_[v] > level || (mark_[v] & kQueued) != 0) return;
      mark_[v] |= kQueued;
      ready.push_back(v);
    };
    for (const VertexId v : fell) make_ready(v);
    std::size_t at = 0;
    while (at < ready.size()) {  // which grows
      const VertexId v = ready[at++];
      mark_[v] = kNone;
      see(v, around, [&](VertexId x) {
        if (order_.before(x, v)) known(later_[x], -1);
        if (!is_left(x)) return;
        --earlier_[x];
        make_ready(x);
      });
      order_.remove(v);
      order_.append(v, level);
      later_[v] = 0;
      see(v, around, [&](VertexId x) {
        if (order_.before(x, v))
          known(later_[x], 1);
        else
          ++later_[v];
      });
    }
    for (const VertexId v : fell) earlier_[v] = 0;
    ready.clear();
  }

  // ---- insertions: queue_ is a heap of vertices of one level, the first in the order on top;
  // while labels are spread again their order stays. earlier_: edges from candidates before a
  // vertex.

  bool behind(VertexId a, VertexId b) const { return order_.before_in_level(b, a); }
  void push(VertexId v) {
    allowed_ -= kHeapSteps;
    touched_.push_back(v);
    mark_[v] |= kQueued;
    queue_.push_back(v);
    std::push_heap(queue_.begin(), queue_.end(),
                   [this](VertexId a, VertexId b) { return behind(a, b); });
  }
  VertexId pop() {
    std::pop_heap(queue_.begin(), queue_.end(),
                  [this](VertexId a, VertexId b) { return behind(a, b); });
    const VertexId v = queue_.back();
    queue_.pop_back();
    return v;
  }
  bool is_candidate(VertexId v) const { return (mark_[v] & kCandidate) != 0; }

  /// w rises unless too many that are behind it stay.
  template <class Around>
  void rise_perhaps(VertexId w, std::uint32_t level, const Around& around) {
    mark_[w] |= kCandidate;
    candidate_.push_back(w);
    see(w, around, [&](VertexId x) {
      if (core_[x] != level || !order_.before_in_level(w, x)) return;
      ++earlier_[x];
      if ((mark_[x] & kQueued) == 0) push(x);
    });
  }
  /// w stays, and so do candidates that would have needed it: they move behind it.
  template <class Around>
  void stay(VertexId w, std::uint32_t level, const Around& around) {
    std::vector<VertexId> leave;
    leave_for(w, level, leave, around);
    later_[w] += std::exchange(earlier_[w], 0);
    VertexId place = w;
    for (std::size_t at = 0; at < leave.size(); ++at) {
      const VertexId y = leave[at];
      mark_[y] &= ~kCandidate;
      leave_for(y, level, leave, around);
      see(y, around, [&](VertexId x) {
        if (core_[x] != level || earlier_[x] == 0 || !order_.before_in_level(y, x)) return;
        --earlier_[x];
        leave_if_few(x, level, leave);
      });
      order_.remove(y);
      order_.insert_after(place, y);
      place = y;
      later_[y] += std::exchange(earlier_[y], 0);
    }
  }
  /// Candidates before v have it behind them no more.
  template <class Around>
  void leave_for(VertexId v, std::uint32_t level, std::vector<VertexId>& leave,
                 const Around& around) {
    see(v, around, [&](VertexId x) {
      if (!is_candidate(x) || !order_.before_in_level(x, v)) return;
      --later_[x];
      leave_if_few(x, level, leave);
    });
  }
  void leave_if_few(VertexId x, std::uint32_t level, std::vector<VertexId>& leave) {
    if (!is_candidate(x) || (mark_[x] & kLeaves) != 0) return;
    if (earlier_[x] + later_[x] > level) return;
    mark_[x] |= kLeaves;
    leave.push_back(x);
  }
  /// The candidates that are left come first in the next level.
  template <class Around>
  void rise(std::uint32_t level, const Around& around) {
    std::erase_if(candidate_, [&](VertexId v) { return !is_candidate(v); });
    for (const VertexId v : candidate_) {
      core_[v] = level + 1;
      support_[v] = kUnknown;
    }
    for (std::size_t i = candidate_.size(); i-- > 0;) {
      const VertexId v = candidate_[i];
      order_.remove(v);
      order_.prepend(v, level + 1);
      see(v, around, [&](VertexId x) {
        if (core_[x] == level + 1) known(support_[x], 1);
      });
    }
  }

  CoreOrder order_;
  ReservedArray<std::uint32_t> core_, later_, support_, earlier_;
  ReservedArray<std::uint8_t> mark_;
  VertexId vertices_ = 0;
  std::int64_t allowed_ = std::numeric_limits<std::int64_t>::max();
  std::vector<VertexId> queue_, candidate_, touched_;
  std::vector<std::uint32_t> of_core_;  // [core number]
};

}  // namespace fathom::dynamic
