// The build of build.hpp for edges that can be produced again at will, as generated ones can: they
// are produced once to be counted, and then once for each range of sources whose lists fit the
// memory together. Each edge goes straight to its source's bucket as an 8-byte key, and buckets are
// sorted where they lie. Costs processor time where an external sort costs disk space and time.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <vector>

#include "fathom/core/function_ref.hpp"
#include "fathom/graph/build.hpp"

namespace fathom::graph {

/// The lists of consecutive sources, sorted by (source, target), while a RangeBuilder holds them.
class SortedRange {
 public:
  EdgeId edges() const { return base_.back(); }
  /// Where each source's list ends, in the numbering of all edges of the graph.
  std::span<const EdgeId> ends() const { return ends_; }
  /// The lists of each of its buckets have as many edges as the range has before the next.
  VertexId first_source() const { return static_cast<VertexId>(first_bucket_ << shift_); }
  std::size_t first_bucket() const { return first_bucket_; }
  std::span<const EdgeId> bucket_begins() const { return base_; }

  /// Calls edge(i, source, target) for i in [0, n), in order, of the range's edges from `first` on.
  template <class F>
  void each(EdgeId first, std::size_t n, const F& edge) const {
    auto b = static_cast<std::size_t>(std::upper_bound(base_.begin(), base_.end(), first) -
                                      base_.begin() - 1);
    const std::uint64_t targets = (std::uint64_t{1} << target_bits_) - 1;
    for (std::size_t i = 0; i < n; ++b) {
      const std::uint64_t* key = keys_ + start_[b] + (first + i - base_[b]);
      const std::uint64_t source = (first_bucket_ + b) << shift_;
      const std::size_t stop = std::min<EdgeId>(n, base_[b + 1] - first);
      for (; i < stop; ++i, ++key)
        edge(i, static_cast<VertexId>(source + (*key >> target_bits_)),
             static_cast<VertexId>(*key & targets));
    }
  }

 private:
  friend class RangeBuilder;
  const std::uint64_t* keys_ = nullptr;  // (source's bits below its bucket, target)
  std::vector<EdgeId> start_;            // of each bucket in keys_; one more entry
  std::vector<EdgeId> base_;             // edges in the buckets before; one more entry
  std::span<const EdgeId> ends_;
  std::size_t first_bucket_ = 0;
  int shift_ = 0, target_bits_ = 0;
};

/// One of several builders of the same lists, each with all of the edges at hand.
struct BuilderShare {
  int index = 0, count = 1;
  /// Adds up what the builders have there; all of them call it at the same points.
  std::function<void(std::span<std::uint64_t>)> add = nullptr;
};

/// Lists to deliver: those of the sources of buckets [first, last).
struct BucketRange {
  std::size_t first = 0, last = 0;
  EdgeId before = 0;           // edges in the buckets before them
  bool first_counted = false;  // by another builder, too: the report has the first bucket from it
};

/// Weights are left to the receiver: they must be a function of the endpoints. Policies other than
/// Duplicates::Keep leave one edge of each pair.
class FATHOM_API RangeBuilder {
 public:
  /// Writes edges [first, first + edge.size()) of the input. Called concurrently; always the same.
  using Fill = std::function<void(EdgeId first, std::span<Edge> edge)>;
  using Receiver = FunctionRef<void(const SortedRange&)>;

  /// Produces the edges once, to count them; of several builders each its share. Endpoints are
  /// below `vertices`. @throws Error(Interrupted).
  RangeBuilder(VertexId vertices, EdgeId edges, Fill fill, const BuildOptions& options,
               const BuilderShare& share = {});
  ~RangeBuilder();

  /// How often the edges are still to be produced for all lists that are wanted; 0: one bucket of
  /// sources has more edges than options.memory holds.
  std::size_t passes() const;
  /// Edges and their reverses before duplicates are merged.
  EdgeId records() const;

  /// Delivers all out-lists in ascending order of their sources. Deterministic.
  /// @throws Error(Interrupted); whatever the receiver throws.
  void out_lists(Receiver receive);
  /// The same for in-lists: there, sources are targets.
  void in_lists(Receiver receive);

  /// Sources are in buckets of consecutive ids: the edges of each before duplicates are merged, of
  /// out-lists and of in-lists, which have none unless they are wanted.
  std::span<const EdgeId> out_records() const;
  std::span<const EdgeId> in_records() const;
  /// The same as above for some of the buckets.
  void out_lists(const BucketRange& buckets, Receiver receive);
  void in_lists(const BucketRange& buckets, Receiver receive);

  /// Complete after out_lists(), which of several builders have to deliver all buckets together.
  BuildReport report() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fathom::graph
