// What breadth-first search moves over the link: EMOGI's measurements of section 5.3 on models of
// the coalescer and of unified memory. Plain push, level by level, the whole list of every active
// vertex once, nothing kept on the device.
#pragma once

#include <vector>

#include "fathom/core/task.hpp"
#include "fathom/graph/csr.hpp"
#include "fathom/ops/link_model.hpp"

namespace fathom {

/// One superstep.
struct LevelTraffic {
  std::uint64_t vertices = 0;  // active
  EdgeId edges = 0;            // in their lists
  RequestCounts requests;
};

struct BfsTraffic {
  std::vector<LevelTraffic> levels;
  RequestCounts requests;           // of all levels
  EdgeId edges = 0;                 // of all levels
  std::uint64_t dataset_bytes = 0;  // the edge array

  /// Bytes moved per byte of the dataset (Figure 10); 0 of an empty graph.
  double amplification() const;
};

/// Deterministic and sequential; about a second per 10 million edges, 9 bytes per vertex and what
/// LinkModel needs.
/// @throws Error(Usage) for a source that is not a vertex, or options that LinkModel refuses;
///         Error(Interrupted) between levels.
FATHOM_API BfsTraffic bfs_traffic(const CsrView& out, VertexId source,
                                  const LinkModelOptions& options, const Task& task = {});

struct PagedTraffic {
  std::uint64_t bytes = 0;
  std::uint64_t dataset_bytes = 0;
  double amplification() const;
};

/// The same search with the edge array in unified memory: ids of `id_bytes`, 4 KiB pages, of which
/// `cache_bytes` fit on the GPU; all pages of a list are touched before the next list, in ascending
/// order of vertices. @throws Error(Usage) for a source that is not a vertex.
FATHOM_API PagedTraffic bfs_paged_traffic(const CsrView& out, VertexId source,
                                          std::uint32_t id_bytes, std::uint64_t cache_bytes);

}  // namespace fathom
