// What a plan needs to know of a graph: counts and bytes. Of a file, or of one yet to be made.
#pragma once

#include <cstdint>
#include <string>

#include "fathom/generate/generate.hpp"
#include "fathom/store/store.hpp"

namespace fathom::plan {

/// Counts are 64 bits wide: a plan may be of a graph that VertexId cannot number.
struct GraphShape {
  std::string name;
  std::uint64_t vertices = 0;
  std::uint64_t edges = 0;                    // of the out-lists
  std::uint64_t oriented = 0;                 // of the degree-oriented lists, at most
  std::uint64_t id_bytes = sizeof(VertexId);  // of a target
  bool directed = true, weighted = false;
  bool has_in = true;         // in-lists are there, or are the out-lists
  bool has_oriented = false;  // stored
  bool slotted = false;
  std::uint64_t page_bytes = 0;     // of slotted pages
  std::uint64_t slotted_pages = 0;  // of the direction that has more of them; 0: as it comes out

  /// Of a vertex in vertex state: that of a build that can number them.
  std::uint64_t vertex_bytes() const {
    return vertices >= std::uint64_t{0xffffffff} ? 8 : sizeof(VertexId);
  }
  bool separate_in() const { return directed && has_in; }
  /// Of one direction: targets, and weights when `weights`.
  double list_bytes(bool weights) const {
    return static_cast<double>(edges) * static_cast<double>(id_bytes + (weights ? 4 : 0));
  }
  /// Of lists in CSR in memory, which may have been slotted: targets, and an offset per vertex.
  std::uint64_t csr_bytes(std::uint64_t its_edges) const {
    return its_edges * vertex_bytes() + (vertices + 1) * sizeof(EdgeId);
  }
  /// Slotted pages of one direction: what a file has, or what full pages would come to.
  std::uint64_t pages_of_slotted() const;
};

/// Of a store: nothing but its header is read.
FATHOM_API GraphShape shape_of(const store::Store& store);

/// Of the graph that `fathom generate` would make of a spec, before duplicates are dropped.
/// Edges are both ways unless `directed`. Any scale up to 40.
/// @throws Error(Usage) for a model whose size the scale does not say (grid, torus).
FATHOM_API GraphShape shape_of(const generate::Spec& spec, bool directed);

}  // namespace fathom::plan
