// What a batch did to the lists, for results that are brought up to date with it.
#pragma once

#include <cstdint>
#include <vector>

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

/// A list with changed edges: edge[first .. last).
struct ChangedList {
  VertexId source = 0;
  std::uint32_t before = 0, after = 0;  // edges of the list
  std::size_t first = 0, last = 0;
};

/// Vertices that came are those whose lists exist now; those that went have lost all their edges.
struct AppliedBatch {
  BatchReport report;
  std::vector<ChangedEdge> edge;  // ascending by source and target; both directions of an
                                  // undirected edge
  std::vector<ChangedList> list;  // ascending
  /// Ascending by source and target; of graphs with weights in host memory, for others empty. An
  /// edge that was overwritten, or that another one is parallel to, may be in one of `edge` and
  /// `weight` alone.
  std::vector<ChangedWeight> weight;
  std::uint64_t graph = 0;  // whose batch it is: a number that no other graph has
};

}  // namespace fathom
