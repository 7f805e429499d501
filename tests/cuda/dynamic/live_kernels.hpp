// Kernels that change graphs themselves, by each kind of lane group.
#pragma once

#include <vector>

#include "fathom/dynamic/live/live_changes.hpp"

namespace fathom::testing {

enum class LiveLanes { Thread, Tile, Warp, Each };  // Each: an edge per lane of a warp

/// Applies all updates at once, those of deletions and insertions mixed (Each: a warp inserts
/// first), and says what each came to. @throws std::runtime_error with CUDA's message.
std::vector<LiveResult> change_on_device(const LiveLists& lists,
                                         const std::vector<EdgeUpdate>& updates, LiveLanes lanes);

/// The same by threads, whatever the graph's allocator.
std::vector<LiveResult> change_on_device(const LiveChanges& changing,
                                         const std::vector<EdgeUpdate>& updates);

/// For each anchor a tile inserts a vertex and, if it gets one, the edge from the anchor to it.
/// Returns the indices.
std::vector<VertexId> grow_on_device(const LiveLists& lists, const std::vector<VertexId>& anchors);

/// What find() says, and the sums of targets that locked() visits for each source.
struct LiveReads {
  std::vector<LiveEdge> edge;
  std::vector<std::uint64_t> sum;
};
LiveReads read_on_device(const LiveLists& lists, const std::vector<Edge>& edges);

}  // namespace fathom::testing
