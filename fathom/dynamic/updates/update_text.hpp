// Updates as text, one per line:
//
//   + u v [w [type t1 t2]]  an edge comes; so do its endpoints if they are not there
//   - u v                   every edge from u to v goes
//   +v u [weight type]      a vertex comes
//   -v u                    a vertex goes, with its edges
//   # ...                   nothing, like a blank line
//
// Weights are 1 where a line has none, types and timestamps 0. What is there already keeps its
// weight, its type and its timestamps unless the graph overwrites duplicates.
// A batch is read whole before any of it is applied; labels change when it was.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "fathom/dynamic/dynamic_graph.hpp"
#include "fathom/dynamic/labels/vertex_labels.hpp"
#include "fathom/io/input_error.hpp"

namespace fathom::dynamic {

/// A batch by the indices of vertices, and what its new vertices are called.
struct NamedBatch {
  GraphBatch batch;
  std::span<const VertexId> new_vertices;               // their indices
  std::span<const std::string* const> new_labels = {};  // one for each
  std::size_t updates = 0;                              // lines that it comes from
};

/// A batch as it is read. The result is that of its lines, one after the other.
class FATHOM_API TextBatch {
 public:
  TextBatch(DynamicGraph& graph, VertexLabels& labels) : graph_(graph), labels_(labels) {}
  TextBatch(const TextBatch&) = delete;
  TextBatch& operator=(const TextBatch&) = delete;

  /// Takes one line. @throws io::LineError, and the batch is as before.
  void add(std::string_view line);

  /// Lines that were updates.
  std::size_t updates() const { return updates_; }
  /// Deletions of a vertex, or of an edge with an endpoint, that is not there; insertions of a
  /// vertex that is, and that keeps what it has.
  std::uint64_t without_effect() const { return without_effect_; }
  std::uint64_t new_vertices() const { return fresh_.size(); }
  std::uint64_t deleted_vertices() const { return gone_.size(); }
  /// What its lines come to, as long as this lives.
  NamedBatch named() const { return {batch(), fresh_, fresh_label_, updates_}; }

  /// Applies the batch to the graph, then to the labels.
  BatchReport apply() const;
  /// The same, and says which edges it changed.
  AppliedBatch apply_recorded() const;

 private:
  GraphBatch batch() const {
    return {static_cast<VertexId>(fresh_.size()), edge_, gone_, false, fields_, said_};
  }
  void change_labels() const;
  std::optional<VertexId> find(const std::string& label) const;
  VertexId find_or_make(const std::string& label);
  void add_vertex(const std::vector<std::string_view>& fields);
  void insert_vertex(const std::string& label, const VertexFields* fields);
  void check_count(const std::vector<std::string_view>& fields) const;
  void add_edge(const std::vector<std::string_view>& fields);
  std::string checked(std::string_view label) const;

  DynamicGraph& graph_;
  VertexLabels& labels_;
  std::size_t updates_ = 0;
  std::uint64_t without_effect_ = 0;
  std::vector<EdgeUpdate> edge_;
  std::vector<EdgeFields> fields_;  // of the edges of a semantic graph
  std::vector<VertexUpdate> said_;
  std::vector<VertexId> next_, fresh_, gone_;
  std::vector<const std::string*> fresh_label_;    // keys of now_
  std::unordered_map<std::string, VertexId> now_;  // of this batch; kNoVertex: gone
};

}  // namespace fathom::dynamic
