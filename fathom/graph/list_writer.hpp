// Turns edges that arrive in order of their sources into offsets and lists for a ListSink.
#pragma once

#include <vector>

#include "fathom/graph/stream_build.hpp"

namespace fathom::graph {

class ListWriter {
 public:
  ListWriter(ListSink& sink, bool weighted) : sink_(sink), weighted_(weighted) {
    target_.reserve(kPiece);
    weight_.reserve(weighted ? kPiece : 0);
    offset_.reserve(kPiece);
    put_offset(0);
  }

  void add(VertexId source, VertexId target, Weight weight) {
    while (next_ <= source) put_offset(edges_);  // closes the lists before `source`
    if (target_.size() == kPiece) flush_edges();
    target_.push_back(target);
    if (weighted_) weight_.push_back(weight);
    ++edges_;
  }

  /// Closes the lists of all vertices, of which there may be many more than edges.
  /// @throws Error(Interrupted).
  void finish(VertexId vertices, const Task& task) {
    while (next_ <= vertices) {
      if (offset_.size() == kPiece) task.check();
      put_offset(edges_);
    }
    flush_edges();
    sink_.offsets(offset_);
    offset_.clear();
    sink_.finish();
  }

  EdgeId edges() const { return edges_; }

 private:
  static constexpr std::size_t kPiece = std::size_t{1} << 14;

  void put_offset(EdgeId offset) {
    if (offset_.size() == kPiece) {
      sink_.offsets(offset_);
      offset_.clear();
    }
    offset_.push_back(offset);
    ++next_;
  }
  void flush_edges() {
    sink_.edges(target_, weight_);
    target_.clear();
    weight_.clear();
  }

  ListSink& sink_;
  bool weighted_;
  std::uint64_t next_ = 0;  // index of the next offset; offset[0] .. offset[next_ - 1] are known
  EdgeId edges_ = 0;
  std::vector<EdgeId> offset_;
  std::vector<VertexId> target_;
  std::vector<Weight> weight_;
};

}  // namespace fathom::graph
