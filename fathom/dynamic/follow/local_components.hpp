// Labels of components that are repaired near the edges that are gone, without levels: for graphs
// on which a search takes many supersteps, such as roads. There most edges that go have a way
// around them, or cut off a few vertices.
#pragma once

#include "fathom/dynamic/follow/level_repair.hpp"
#include "fathom/dynamic/follow/local_functors.hpp"

namespace fathom::dynamic {

/// Where a context's only device has its memory.
class LocalComponents {
 public:
  explicit LocalComponents(const Context& ctx)
      : ctx_(ctx), label_(ctx), outside_(ctx), least_(ctx) {}

  /// Of each vertex the smallest one of its component.
  void assign(std::span<const VertexId> labels) {
    label_.assign(labels.data(), static_cast<VertexId>(labels.size()));
  }
  VertexId label(VertexId v) const { return label_.get(v); }
  std::vector<VertexId> labels() const { return label_.to_host(); }
  VertexId size() const { return label_.size(); }

  /// Brings labels up to a batch: of the graph as it is, with so many vertices. Cost: a search of
  /// up to 512 vertices from each end and 4,096 entries of lists for each edge that is gone, and
  /// 12 KiB of memory for it meanwhile; passes over all vertices where components become one, or
  /// the smallest vertex of one is cut off.
  /// @return false where it is too much to say; labels mean nothing then.
  /// @throws Error(DoesNotFit), Error(Device)
  bool repair(const ChangesRef& batch, const TiedLists& lists, bool directed, VertexId vertices);

 private:
  void grow(VertexId vertices);
  bool remove(const ChangesRef& batch, const TiedLists& lists, bool directed);
  bool tied_around(const SearchNear& search, VertexId searches);
  void carve(const SearchNear& search, VertexId searches);
  void insert(const ChangesRef& batch);

  const Context& ctx_;
  DeviceValues<VertexId> label_;
  DeviceValues<VertexId> outside_, least_;  // see PieceData
};

}  // namespace fathom::dynamic
