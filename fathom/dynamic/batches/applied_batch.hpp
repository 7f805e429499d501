// What a batch did to the lists, for results that are brought up to date with it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "fathom/dynamic/update.hpp"

namespace fathom {

/// Edges from source to target: how many there were, and how many there are. They differ.
struct ChangedEdge {
  VertexId source, target;
  std::uint32_t before, after;
};

/// The smallest weight of the edges from source to target, infinity where there are none. They
/// differ.
struct ChangedWeight {
  VertexId source, target;
  Weight before, after;
};

/// A list with changed edges: [first, last) of them.
struct ChangedList {
  VertexId source = 0;
  std::uint32_t before = 0, after = 0;  // edges of the list
  std::size_t first = 0, last = 0;
};

namespace dynamic {

struct RecordedChanges;

/// What a batch changed, for loops and kernels that read the memory of the graph.
struct ChangesRef {
  const ChangedEdge* edge = nullptr;
  const ChangedList* list = nullptr;
  VertexId edges = 0, lists = 0;
};

}  // namespace dynamic

/// What a batch changed, kept where the graph is; copies share it. Vertices that came are those
/// whose lists exist now; those that went have lost all their edges.
class FATHOM_API AppliedBatch {
 public:
  BatchReport report;
  std::uint64_t graph = 0;  // whose batch it is: a number that no other graph has

  std::size_t changed_edges() const;
  /// Ascending by source and target; both directions of an undirected edge. Like lists(), of a
  /// graph in a GPU's memory copied to the host when first asked for, while the context of the
  /// graph lives. @throws Error(DoesNotFit), Error(Device) then
  std::span<const ChangedEdge> edges() const&;
  /// Ascending.
  std::span<const ChangedList> lists() const&;
  /// Ascending by source and target; of graphs with weights in host memory, for others empty. An
  /// edge that was overwritten, or that another one is parallel to, may be in one of edges() and
  /// weights() alone.
  std::span<const ChangedWeight> weights() const&;
  // Not of a temporary, which has them no longer than it lives.
  void edges() const&& = delete;
  void lists() const&& = delete;
  void weights() const&& = delete;

  // For results that follow the graph.
  dynamic::ChangesRef in_place() const;
  explicit AppliedBatch(std::shared_ptr<const dynamic::RecordedChanges> changes)
      : changes_(std::move(changes)) {}
  AppliedBatch() = default;

 private:
  std::shared_ptr<const dynamic::RecordedChanges> changes_;  // null: none
};

}  // namespace fathom
