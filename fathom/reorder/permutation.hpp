// Permutation: where each vertex goes when a graph is reordered.
#pragma once

#include <span>
#include <utility>

#include "fathom/core/array.hpp"
#include "fathom/core/platform.hpp"

namespace fathom::reorder {

/// A bijection of [0, size()): old id -> new position. Movable.
class FATHOM_API Permutation {
 public:
  /// @param position  [n]: the new position of each old id.
  /// @throws Error(Usage) naming a position that is out of range or taken twice.
  explicit Permutation(Array<VertexId> position);

  static Permutation identity(VertexId n);
  /// @param order  [n]: the old id at each new position. @throws Error(Usage) as above.
  static Permutation from_order(std::span<const VertexId> order, int threads = 1);

  VertexId size() const { return static_cast<VertexId>(position_.size()); }
  VertexId operator[](VertexId old_id) const { return position_[old_id]; }
  std::span<const VertexId> positions() const { return position_; }

  /// New position -> old id; as positions this is from_order(positions()).
  Permutation inverse(int threads = 1) const { return from_order(position_, threads); }
  /// First this one, then `next`: old id -> next[(*this)[old id]].
  /// @throws Error(Usage) when the sizes differ.
  Permutation then(const Permutation& next, int threads = 1) const;

 private:
  struct Unchecked {};
  Permutation(Array<VertexId> position, Unchecked) : position_(std::move(position)) {}
  Array<VertexId> position_;
};

}  // namespace fathom::reorder
