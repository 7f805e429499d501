// What an algorithm asks of a machine: vertex state that stays, and how often it reads the edges.
// The bytes are what the algorithms say of themselves; a test holds them against what they
// allocate.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "fathom/algorithms/described/algorithm.hpp"
#include "fathom/plan/graph_shape.hpp"

namespace fathom::plan {

struct Range {
  double low = 0, high = 0;

  bool operator==(const Range&) const = default;
};

struct Workload {
  std::string_view algorithm;
  Reads::Kind kind = Reads::Kind::Unknown;
  // Bytes per vertex.
  double state = 0;         // on each device, when edges come in passes
  double state_here = 0;    // on the host, when all edges are in reach there
  double beside = 0;        // more on a host
  double lists = 0;         // more (or less) where work runs on one host memory: frontiers as lists
  double rank_lists = 0;    // the same of one of several ranks
  double result = 0;        // of what the caller gets, in host memory
  std::uint64_t fixed = 0;  // bytes on each device, however many vertices there are
  double merged = 0;        // of what replicas agree on after a superstep, at most
  // Bytes per vertex where state is split (strategy S): of a chunk (0: it cannot be), of a pass
  // over the sources, and on each device at all times.
  double split_chunk = 0, split_source = 0, split_always = 0;
  bool split_in_lists = false;  // both directions are then read
  // Bytes per vertex and worker, where triangles are marked.
  double per_worker = 0;
  std::uint64_t worker_blocks = 0;  // bytes per worker of one host memory: bins
  double bins =
      0;  // bytes per vertex, more of these where all edges are in reach and memory is left
  bool out_lists = true, in_lists = false, oriented_lists = false;  // which are read
  bool out_offsets = true, in_offsets = false;                      // which must be in reach
  bool weights = false;
  bool mutual_lists = false;   // oriented ones of two places for each vertex (graph::orient_mutual)
  bool reverse_lists = false;  // in-lists are built: the graph lacks them
  bool sweeps = false;         // as runs see it, which choose where lists are by it
  Range supersteps;            // Sweeps: reads of all edges
  Range share;  // Traversal: bytes of lists read, as a share of all (those of one direction)

  // What times are derived from, as Reads has it.
  std::string_view rate;
  bool by_two_paths = false;
  Range times = {1, 1};
  double pace = 1;

  /// Of a vertex, in the lists that are read.
  std::uint64_t places() const { return mutual_lists ? 2 : 1; }

  bool operator==(const Workload&) const = default;
};

/// The algorithms that plans are made of (described/planned.hpp).
FATHOM_API std::vector<std::string_view> planned_algorithms();

/// @param options  the algorithm's; null: its defaults.
/// @param whole  whether the host's threads reach every edge at any time: PageRank then updates in
///               place.
/// @param scarce  whether memory is: algorithms that can do with less state then do.
/// @throws Error(Usage) for another algorithm.
FATHOM_API Workload workload_of(std::string_view algorithm, const GraphShape& shape,
                                const OptionValues* options, bool whole, bool scarce = false);

/// The same work with its vertex state split: it pushes, along out-edges (components: along both).
FATHOM_API Workload when_split(Workload work, const GraphShape& shape);

/// The vertex that has it, the first of several: where modelled traversals start, for it is all but
/// surely in the largest component. 0 without edges.
/// @param offsets  one per vertex, and the number of edges.
FATHOM_API VertexId longest_list(std::span<const EdgeId> offsets);

}  // namespace fathom::plan
