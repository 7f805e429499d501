// One read of all edges: what each vertex gives along each of its out-edges, added up where it
// arrives.
#pragma once

#include <optional>

#include "fathom/algorithms/pagerank/functors.hpp"
#include "fathom/exec/split_array.hpp"
#include "fathom/ops/split_operators.hpp"
#include "fathom/residency/graph.hpp"

namespace fathom {

template <class Share, bool kWeighted>
class Received {
 public:
  /// Along in-edges, where there are any and state is whole: what is given is read, and each sum
  /// written once. Else along out-edges. `own`: the vertices whose in-lists this rank alone sees.
  /// Without `sums` there is no room for them.
  Received(Split& split, const Graph& graph, std::optional<VertexRange> own, bool sums)
      : split_(split),
        graph_(graph),
        all_(split.context(), graph.vertices()),
        pulls_(graph.has_in() && !split.on()),
        own_(own),
        share_(split, graph.vertices(), Use::AtSourceToo),
        sum_(split, sums ? graph.vertices() : 0) {
    all_.fill();
  }

  /// Sets the sums to what vertices give now.
  void collect() {
    sum_.fill(0);
    if (pulls_)
      gather(split_.context(), graph_.in(), all_, nullptr, [&](const Device& d) {
        return RankPull<Share, kWeighted>{share_.on(d), sum_.on(d)};
      });
    else
      advance(split_, graph_.out(), all_, nullptr, [&](const Device& d) {
        return RankPush<Share, kWeighted>{share_.at_source(d), sum_.on(d)};
      });
    if (pulls_ && own_ && split_.context().ranks() > 1)
      sum_.whole().share(*own_);
    else
      merge(sum_);
  }

  const char* direction() const { return pulls_ ? "pull" : "push"; }
  Frontier& all() { return all_; }
  SplitArray<Share>& share() { return share_; }
  Share* share_on(const Device& d) { return share_.on(d); }
  const double* sum_on(const Device& d) { return sum_.on(d); }

 private:
  Split& split_;
  const Graph& graph_;
  Frontier all_;
  bool pulls_;  // state that is split is pushed to: what sources give then streams with the pages
  std::optional<VertexRange> own_;
  SplitArray<Share> share_;
  SplitArray<double, MergeSum> sum_;
};

}  // namespace fathom
