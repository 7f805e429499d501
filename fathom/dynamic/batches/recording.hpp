// What a batch changes is found where the graph is: the pairs of vertices that it names are sorted,
// each is kept once, and its edges are counted before the batch and after it.
#pragma once

#include <memory>
#include <vector>

#include "fathom/dynamic/batches/recorded_changes.hpp"
#include "fathom/dynamic/batches/recording_functors.hpp"
#include "fathom/dynamic/dynamic_state.hpp"

namespace fathom::dynamic {

/// Of one batch: made before it is applied, with all memory that is needed afterwards, so that no
/// batch stays that nobody can be told of.
class Recording {
 public:
  /// @throws Error(DoesNotFit)
  Recording(const DynamicGraph::State& graph, const GraphBatch& batch);

  /// The batch has been applied. Once. @throws Error(Device)
  std::shared_ptr<const RecordedChanges> finish();

 private:
  void take_pairs(const GraphBatch& batch);
  void bring_keys(const GraphBatch& batch, PairKey pair, std::span<const std::uint64_t> more,
                  std::uint64_t* to) const;
  const std::uint64_t* sort(Array<std::uint64_t>& key, Array<std::uint64_t>& other,
                            PairKey pair) const;
  void make_room();
  void count(bool after);
  std::shared_ptr<MemoryPool> memory() const;
  template <class T>
  Array<T> array(std::size_t n) const {
    return Array<T>(n, memory());
  }
  template <class F>
  void each(std::size_t n, const F& f) const;
  void sum(std::size_t n);

  const DynamicGraph::State& graph_;
  VertexId pairs_ = 0, lists_ = 0;  // that the batch names
  Array<ChangedEdge> pair_;
  Array<std::uint64_t> flag_, place_;  // of pairs, or of all that were named, and one place more
  Array<std::uint32_t> gained_;        // [pairs_ + 1]
  Array<VertexId> found_;              // edges and lists that have changed
  std::vector<std::uint64_t> sums_;    // of pieces, on the host
  std::vector<ChangedWeight> weight_;  // of pairs; empty where weights are not told of
  std::shared_ptr<RecordedChanges> changes_;
};

}  // namespace fathom::dynamic
