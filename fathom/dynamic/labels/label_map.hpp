// The caller's labels of vertices, where the lists of a graph that changes are: integers of 64
// bits, in the memory of the context's GPU if it has one, so that kernels turn updates by label
// into updates of vertices.
#pragma once

#include <span>
#include <vector>

#include "fathom/core/array.hpp"
#include "fathom/dynamic/labels/label_columns.hpp"
#include "fathom/dynamic/labels/label_table.hpp"
#include "fathom/exec/context.hpp"

namespace fathom {

using dynamic::LabelledUpdate;

/// Labels of one direction: from label to vertex. Functions take memory of the host, in bulk, and
/// run in parallel; none of them may run beside another. Cost: 21 to 48 bytes per label.
class FATHOM_API LabelMap {
 public:
  /// The context must outlive it. On a context with one GPU it is in that GPU's memory.
  explicit LabelMap(const Context& ctx);
  LabelMap(LabelMap&&) noexcept;
  LabelMap& operator=(LabelMap&&) noexcept;
  ~LabelMap();

  std::size_t size() const;

  /// Gives each label its vertex. Returns how many labels are new; the others, and all but one of
  /// those that stand here several times, keep what they have.
  /// @throws Error(Usage) when there are not as many vertices; Error(DoesNotFit), with nothing
  /// changed.
  std::size_t insert(std::span<const std::uint64_t> labels, std::span<const VertexId> vertices);
  /// Returns how many of the labels there were. Needs no memory.
  std::size_t remove(std::span<const std::uint64_t> labels);
  /// kNoVertex for a label that is nobody's.
  std::vector<VertexId> find(std::span<const std::uint64_t> labels) const;

  /// The same updates of vertices, for GraphBatch::edges: in the memory of the GPU
  /// (edges_on_device) if the map is there. They belong to the map, until its next translate().
  /// @throws Error(Usage) naming the first label that is nobody's; Error(DoesNotFit)
  std::span<const EdgeUpdate> translate(std::span<const LabelledUpdate> updates);
  bool on_device() const;
  /// The map itself, for columns of labels (label_columns.hpp) where it is; until it changes.
  LabelNames names() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace fathom
