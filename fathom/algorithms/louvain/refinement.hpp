// What the refinement of communities does on a vertex, for any executor: vertices that are alone
// choose among parts of their communities as others do among communities (functors.hpp); here is
// who may, and who then joins.
#pragma once

#include "fathom/algorithms/louvain/functors.hpp"

namespace fathom {

/// Of those that choose again the ones that are alone.
struct ChoosesAlone {
  static constexpr bool kDeviceCode = true;
  const std::uint64_t* active;
  const VertexId* community;
  const std::uint64_t* total;
  const std::uint64_t* strength;
  FATHOM_HD bool operator()(VertexId v) const {
    return is_active(active, v) && community[v] == v && total[v] == strength[v];
  }
};

/// Vertices join what they chose if it stays where it is: when its first vertex goes elsewhere,
/// they choose again. Of two that chose each other the first stays. So those that are joined never
/// leave, and all that join have an edge into what is there.
struct JoinChosen {
  static constexpr bool kDeviceCode = true;
  Choosers its;
  VertexId* community;
  std::uint64_t* total;
  std::uint64_t* moved;   // [1]
  std::uint64_t* active;  // a bit per vertex

  FATHOM_HD void operator()(VertexId v) const {
    if (!goes(v)) return;
    const VertexId to = its.next[v];
    if (is_active(its.chooses, to) && goes(to) && (its.next[to] != v || v < to)) {
      activate(active, v);
      return;
    }
    community[v] = to;
    AtomicRef(total[v]).fetch_add(0 - its.worth.strength[v]);
    AtomicRef(total[to]).fetch_add(its.worth.strength[v]);
    AtomicRef(*moved).fetch_add(std::uint64_t{1});
  }
  /// Whether one that may choose now has chosen to go.
  FATHOM_HD bool goes(VertexId v) const {
    return its.in_class(v) && its.next[v] != kNoVertex && its.next[v] != v;
  }
};

}  // namespace fathom
