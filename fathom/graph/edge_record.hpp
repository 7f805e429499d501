// Edges as records of the external sorter.
#pragma once

#include <type_traits>

#include "fathom/core/platform.hpp"

namespace fathom::graph {

struct PlainRecord {
  static constexpr bool kWeighted = false;
  VertexId source, target;
  Weight get_weight() const { return 1; }
};
struct WeightedRecord {
  static constexpr bool kWeighted = true;
  VertexId source, target;
  Weight weight;
  Weight get_weight() const { return weight; }
};

template <class Record>
Record make_record(VertexId u, VertexId v, [[maybe_unused]] Weight w) {
  if constexpr (std::is_same_v<Record, PlainRecord>)
    return {u, v};
  else
    return {u, v, w};
}

// By (source, target, weight); with `arrival`, equal edges stay in input order instead. Two wide
// ids do not fit a key: targets are then compared like ties.
struct EdgeOrder {
  static constexpr bool kKeyHasTarget = sizeof(VertexId) == 4;

  bool arrival = false;
  template <class Record>
  std::uint64_t key(const Record& r) const {
    if constexpr (kKeyHasTarget)
      return std::uint64_t{r.source} << 32 | r.target;
    else
      return r.source;
  }
  template <class Record>
  bool tie_less(const Record& a, const Record& b) const {
    if constexpr (!kKeyHasTarget) {
      if (a.target != b.target) return a.target < b.target;
    }
    return !arrival && a.get_weight() < b.get_weight();
  }
};

}  // namespace fathom::graph
