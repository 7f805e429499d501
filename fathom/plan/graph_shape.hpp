// What a plan needs to know of a graph: counts and bytes. Of a file, or of one yet to be made.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "fathom/generate/generate.hpp"
#include "fathom/store/store.hpp"

namespace fathom::plan {

/// Which of the graphs that rates are measured on a graph is like.
enum class Likeness {
  Rmat,     // hubs: few vertices have most of the edges
  Uniform,  // degrees as of edges that are drawn at random
  Grid,     // degrees nearly equal, as of meshes and roads: many levels of few vertices
};
inline constexpr std::array kLikenesses = {Likeness::Rmat, Likeness::Uniform, Likeness::Grid};
constexpr std::string_view name_of(Likeness likeness) {
  constexpr std::array<std::string_view, kLikenesses.size()> kNames = {"rmat", "uniform", "grid"};
  return kNames[static_cast<std::size_t>(likeness)];
}

/// By the degrees alone: of a sample of them, at most 64 K. Nothing without edges.
/// @param offsets  one per vertex, and the number of edges.
FATHOM_API std::optional<Likeness> likeness_of(std::span<const EdgeId> offsets);

/// Shares of all vertices: those that have edges and, of these, those whose ids are below all of
/// their neighbours', if ids are random.
struct VertexShares {
  double with_edges = 0, lowest = 0;
};
/// Of such a sample.
FATHOM_API std::optional<VertexShares> shares_of(std::span<const EdgeId> offsets);

/// The sum over vertices of in-degree times out-degree.
/// @param in  those of the in-lists; of an undirected graph the same. Empty, where a directed graph
///            has none: as if every vertex had as many edges in as out.
/// Cost: a read of the offsets.
FATHOM_API double two_paths_of(std::span<const EdgeId> out, std::span<const EdgeId> in);

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
  bool reordered = false;     // results are in the order that vertices had before
  bool slotted = false;
  std::uint32_t narrow_bits = 0;  // of an entry of narrow lists that are read as they are; 0: none
  bool narrowed = false;          // lists in CSR that a GPU narrows so as it places them
  std::uint64_t weight_values = 0;  // that codes of narrow or packed lists stand for
  bool widened = false;    // narrow or packed lists, read as arrays in host memory made of them
  double packed_bits = 0;  // of an id of packed lists, with its share of their index; 0: not packed
  double code_bits = 0;    // of a weight of packed lists
  bool unpacks = false;    // such lists are moved as they are, a page at a time, and decoded there
  bool in_place = false;   // packed lists that a GPU reads as they are
  std::uint64_t filtered_of =
      0;                         // edges of the lists of which `edges` are kept; 0: all of them are
  std::uint64_t looked_at = 0;   // edges whose fields are read to find those that are kept
  std::uint64_t page_bytes = 0;  // of slotted pages
  std::uint64_t slotted_pages = 0;  // of the direction that has more of them; 0: as it comes out

  std::optional<Likeness> likeness;    // nothing: not known
  std::optional<double> two_paths;     // as two_paths_of(); nothing: not known
  std::optional<VertexShares> shares;  // nothing: not known

  /// Of a vertex in vertex state: that of a build that can number them.
  std::uint64_t vertex_bytes() const {
    return vertices >= std::uint64_t{0xffffffff} ? 8 : sizeof(VertexId);
  }
  /// What a run keeps of the order of results (store::FirstOrder).
  std::uint64_t order_bytes() const { return reordered ? 2 * vertices * vertex_bytes() : 0; }
  bool separate_in() const { return directed && has_in; }
  bool narrow() const { return (narrow_bits > 0 && !narrowed) || (widened && !packed()); }
  bool packed() const { return packed_bits > 0; }
  bool filtered() const { return filtered_of > 0; }
  /// Of one direction: targets, and weights when `weights`; all of narrow entries.
  double list_bytes(bool weights) const {
    if (narrow_bits > 0) return static_cast<double>(edges) * narrow_bits / 8;
    if (unpacks || in_place)
      return static_cast<double>(edges) * (packed_bits + (weights ? code_bits : 0)) / 8;
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

/// The same where a filter keeps so many of its edges, which a run counts when it opens the file.
FATHOM_API GraphShape filtered_shape(GraphShape shape, std::uint64_t kept);

/// The same where a GPU narrows the lists (GpuEdgeOptions::id_bits). Weights are reckoned with 16
/// bits each: a plan does not read them. @throws Error(Usage) for ids of a width that there is not,
/// or that does not number the vertices.
FATHOM_API GraphShape narrowed_shape(GraphShape shape, int id_bits);

/// Of the graph that `fathom generate` would make of a spec, before duplicates are dropped.
/// Edges are both ways unless `directed`. Any scale up to 40.
/// @throws Error(Usage) for a model whose size the scale does not say (grid, torus).
FATHOM_API GraphShape shape_of(const generate::Spec& spec, bool directed);

}  // namespace fathom::plan
