// The .fg container, opened for reading. The format is specified in docs/formats.md.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fathom/core/platform.hpp"
#include "fathom/core/task.hpp"
#include "fathom/graph/build.hpp"
#include "fathom/graph/csr.hpp"
#include "fathom/store/degree_summary.hpp"
#include "fathom/store/narrow/narrow.hpp"
#include "fathom/store/packed/packed_layout.hpp"
#include "fathom/store/slotted/slotted.hpp"

namespace fathom::store {

/// {target, weight} pairs, for algorithms that always read both.
struct TargetWeight {
  VertexId target;
  Weight weight;
};

/// Timestamps of an edge.
struct EdgeTimes {
  std::uint64_t t1, t2;
};

enum class LabelKind {
  Identity,  // label v is the integer v
  Offset,    // label v is the integer v + base (1-based inputs)
  Integers,  // a sorted table of integers
  Strings,   // a bytewise sorted table of strings
};

/// Counts, flags, policies and provenance: everything known without reading a section.
struct Header {
  std::uint32_t version = 0;
  VertexId vertices = 0;
  EdgeId edges = 0;  // directed edges in the out lists
  bool directed = true;
  bool weighted = false;
  bool symmetric = false;  // undirected, or directed and happens to be symmetric
  bool has_in_edges = false;
  bool semantic = false;                 // edges have types and timestamps
  bool vertex_fields = false;            // vertices have weights and types
  std::optional<SlottedLayout> slotted;  // the lists are slotted pages
  std::optional<PackedLayout> packed;    // the lists are packed
  std::optional<NarrowLayout> narrow;    // the lists are narrow; none of the three: CSR
  LabelKind labels = LabelKind::Identity;
  std::uint64_t label_base = 0;
  graph::BuildOptions policies;  // duplicates, loops, undirected, in_edges, weighted
  graph::BuildReport report;
  std::string provenance;         // free text: command, input names and format
  std::uint64_t fingerprint = 0;  // of vertices, edges, offsets, targets and weights
};

struct SectionInfo {
  std::string name;
  std::uint64_t offset = 0, bytes = 0, blocks = 0;
};

class FATHOM_API Store {
 public:
  /// Maps the file and checks its header and section table; cost independent of the size.
  /// @throws Error(BadInput) naming what is wrong (not a .fg file, newer version, truncated,
  ///         checksum of the header); Error(Io).
  static std::shared_ptr<Store> open(const std::string& path);
  virtual ~Store() = default;

  virtual const std::string& path() const = 0;
  virtual const Header& header() const = 0;
  virtual const std::vector<SectionInfo>& sections() const = 0;

  // The mapped sections. The first call of each checks the checksums of all its blocks (in
  // parallel); throws Error(BadInput) naming section and byte range. Views live as long as the
  // store. Absent sections give nothing. Lists in other layouts are no CSR: out() and in() then
  // throw Error(Usage).
  virtual CsrView out(int threads = 0) = 0;
  virtual std::optional<CsrView> in(int threads = 0) = 0;  // == out() when undirected
  virtual std::optional<CsrView> oriented(int threads = 0) = 0;
  virtual std::span<const TargetWeight> interleaved(int threads = 0) = 0;  // of the out lists

  /// Types and timestamps of the edges of out(), weights and types of vertices by id, where the
  /// file has them: see read_fields().
  virtual std::span<const std::uint32_t> edge_types(int threads = 0) = 0;
  virtual std::span<const EdgeTimes> edge_times(int threads = 0) = 0;
  virtual std::span<const Weight> vertex_weights(int threads = 0) = 0;
  virtual std::span<const std::uint32_t> vertex_types(int threads = 0) = 0;

  /// The offsets of any layout: vertices + 1 entries; none without in-edges.
  virtual std::span<const EdgeId> out_offsets(int threads = 0) = 0;
  virtual std::span<const EdgeId> in_offsets(int threads = 0) = 0;

  /// Slotted lists, when the file has them: offsets and RVT are checked, pages whenever the
  /// caller has them checked. slotted_in() equals slotted_out() when symmetric.
  virtual std::optional<SlottedLists> slotted_out(int threads = 0) = 0;
  virtual std::optional<SlottedLists> slotted_in(int threads = 0) = 0;

  /// Packed lists, when the file has them: groups are checked by who unpacks them. packed_in()
  /// equals packed_out() when symmetric.
  virtual std::optional<PackedLists> packed_out(int threads = 0) = 0;
  virtual std::optional<PackedLists> packed_in(int threads = 0) = 0;
  /// Narrow lists, when the file has them; all ids and codes are checked. narrow_in() equals
  /// narrow_out() when symmetric.
  virtual std::optional<NarrowLists> narrow_out(int threads = 0) = 0;
  virtual std::optional<NarrowLists> narrow_in(int threads = 0) = 0;

  /// How the slotted lists are paged, if they are. Cost: the RVT.
  virtual std::optional<SlottedStatistics> slotted_out_statistics() = 0;
  virtual std::optional<SlottedStatistics> slotted_in_statistics() = 0;

  /// How the degrees are distributed; in_degrees() equals out_degrees() when undirected and is
  /// absent without in-edges.
  virtual DegreeSummary out_degrees() = 0;
  virtual std::optional<DegreeSummary> in_degrees() = 0;

  /// The caller's label of an internal id / the id of a label. Neither loads all labels: integer
  /// and string tables are searched through their index (O(log n) page touches).
  virtual std::string label(VertexId v) = 0;
  virtual std::optional<VertexId> find(std::string_view label) = 0;

  /// Reads everything: every block's checksum, ascending offsets, targets in range, sorted lists,
  /// weights finite, in-edges the transpose of out-edges, fields of an undirected edge the same in
  /// both directions, labels ascending.
  /// @throws Error(BadInput) at the first thing wrong.
  virtual void verify(int threads, const Task& task) = 0;
};

}  // namespace fathom::store
