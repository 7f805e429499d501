// Lists, degrees and terms: what both ways of asking for similarities begin with.
#pragma once

#include <algorithm>
#include <cmath>

#include "fathom/algorithms/similarity/list_sequence.hpp"
#include "fathom/algorithms/similarity/similarity.hpp"

namespace fathom::detail {

/// What a sum over common neighbours means.
struct Score {
  SimilarityMeasure measure;
  int bits = 0;  // of terms behind the point

  double of(std::uint64_t sum, std::uint64_t degree_u, std::uint64_t degree_v) const {
    const auto share = [&](std::uint64_t all) {
      return all == 0 ? 0 : static_cast<double>(sum) / static_cast<double>(all);
    };
    switch (measure) {
      case SimilarityMeasure::Jaccard:
        return share(degree_u + degree_v - sum);
      case SimilarityMeasure::Overlap:
        return share(std::min(degree_u, degree_v));
      case SimilarityMeasure::CommonNeighbors:
        return static_cast<double>(sum);
      default:
        return std::ldexp(static_cast<double>(sum), -bits);
    }
  }
};

class Neighborhoods {
 public:
  /// @throws Error(Usage) where edges have directions.
  Neighborhoods(const Context& ctx, const Graph& graph, SimilarityMeasure measure);

  double score(std::uint64_t sum, VertexId u, VertexId v) const {
    return score_.of(sum, degree_[u], degree_[v]);
  }
  /// Of a term.
  double rounding() const { return score_.bits == 0 ? 0 : std::ldexp(1., -score_.bits - 1); }
  /// Entries loaded so far.
  EdgeId read() const { return from_.read() + through_.read(); }

 protected:
  NeighborTerms terms(const Device& d) const { return {term_.size() > 0 ? term_.on(d) : nullptr}; }

  const Context& ctx_;
  const VertexId n_;
  EdgeSource& lists_;
  const Array<EdgeId> offset_;  // of lists as they are
  Array<VertexId> degree_;      // in the simple graph
  Frontier frontier_;
  VertexArray<VertexId> degrees_;  // the same on devices
  VertexArray<std::uint64_t> term_;
  ListSequence from_, through_;

 private:
  void find_degrees();
  void find_terms();

  Score score_;
};

}  // namespace fathom::detail
