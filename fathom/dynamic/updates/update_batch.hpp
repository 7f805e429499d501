// A batch of a stream of updates as it is read, by labels: from text (update_text.hpp) or from
// binary records (update_records.hpp). It is read whole before any of it is applied; labels change
// when it was.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "fathom/core/array.hpp"
#include "fathom/dynamic/dynamic_graph.hpp"
#include "fathom/dynamic/labels/vertex_labels.hpp"
#include "fathom/io/input_error.hpp"

namespace fathom::dynamic {

/// A batch by the indices of vertices, and what its new vertices are called.
struct NamedBatch {
  GraphBatch batch;
  std::span<const VertexId> new_vertices;               // their indices
  std::span<const std::string* const> new_labels = {};  // one for each, if labels are strings
  std::span<const std::uint64_t> new_integers = {};     // one for each, if not
  std::size_t updates = 0;                              // lines that it comes from
};

/// Updates of edges by integer labels, in a row.
struct UpdateRun {
  std::span<const LabelledUpdate> edges;
  std::span<const EdgeFields> fields;  // one for each, or none: all are 0
};

/// Values that are not initialised; cleared, it keeps its memory.
template <class T>
class ReusedArray {
 public:
  T* data() { return items_.data(); }
  std::span<const T> all() const { return {items_.data(), size_}; }
  std::size_t size() const { return size_; }
  void clear() { size_ = 0; }
  void push_back(const T& value) { *more(1) = value; }
  void shrink(std::size_t size) { size_ = size; }
  /// So many behind the others.
  T* more(std::size_t n) {
    if (items_.size() < size_ + n) {
      Array<T> wider(std::max(size_ + n, 2 * items_.size()));
      std::copy_n(items_.begin(), size_, wider.begin());
      items_ = std::move(wider);
    }
    size_ += n;
    return items_.data() + size_ - n;
  }

 private:
  Array<T> items_;
  std::size_t size_ = 0;
};

/// The result is that of its updates, one after the other.
class FATHOM_API UpdateBatch {
 public:
  UpdateBatch(DynamicGraph& graph, VertexLabels& labels, int threads = 1)
      : graph_(graph), labels_(labels), threads_(threads) {}
  UpdateBatch(const UpdateBatch&) = delete;
  UpdateBatch& operator=(const UpdateBatch&) = delete;

  /// Takes one line. @throws io::LineError, and the batch is as before.
  void add(std::string_view line);
  /// Takes updates of edges, looking for their vertices in parallel.
  void add(const UpdateRun& run);
  /// A vertex comes, or gets these fields (null: keeps those that it has).
  void insert_vertex(std::uint64_t label, const VertexFields* fields);
  /// A vertex goes, with its edges.
  void remove_vertex(std::uint64_t label);
  /// Empties it for the next one; memory stays.
  void clear();

  const DynamicGraph& graph() const { return graph_; }
  const VertexLabels& labels() const { return labels_; }
  int threads() const { return threads_; }
  /// Updates in it, those of vertices too.
  std::size_t updates() const { return updates_; }
  /// Deletions of a vertex, or of an edge with an endpoint, that is not there; insertions of a
  /// vertex that is, and that keeps what it has.
  std::uint64_t without_effect() const { return without_effect_; }
  std::uint64_t new_vertices() const { return fresh_.size(); }
  std::uint64_t deleted_vertices() const { return gone_.size(); }
  /// What its updates come to, until it changes.
  NamedBatch named() const { return {batch(), fresh_, fresh_label_, fresh_integer_, updates_}; }

  /// Applies the batch to the graph, then to the labels.
  BatchReport apply() const;
  /// The same, and says which edges it changed.
  AppliedBatch apply_recorded() const;

 private:
  // By label, after what the batch has so far.
  std::optional<VertexId> find(const std::string& label) const;
  std::optional<VertexId> find(std::uint64_t label) const;
  void call(VertexId v, const std::string& label);  // a new vertex
  void call(VertexId v, std::uint64_t label);
  void let_go(const std::string& label);
  void let_go(std::uint64_t label);

  template <class Label>
  VertexId find_or_make(const Label& label);
  template <class Label>
  void insert(const Label& label, const VertexFields* fields);
  template <class Label>
  void remove(const Label& label);
  template <class Label>
  bool name_ends(const Label& source, const Label& target, EdgeUpdate& e);
  template <class Label>
  void add_edge(const Label& source, const Label& target, const EdgeUpdate& update,
                const EdgeFields& fields);

  GraphBatch batch() const {
    return {static_cast<VertexId>(fresh_.size()), edge_.all(), gone_, false, fields_.all(), said_};
  }
  void become_strings();
  bool look_up(const UpdateRun& run, EdgeUpdate* into) const;
  void settle(const UpdateRun& run, std::size_t first);
  void change_labels() const;

  DynamicGraph& graph_;
  VertexLabels& labels_;
  int threads_;
  std::size_t updates_ = 0;
  std::uint64_t without_effect_ = 0;
  ReusedArray<EdgeUpdate> edge_;
  ReusedArray<EdgeFields> fields_;  // of the edges of a semantic graph
  std::vector<VertexUpdate> said_;
  std::vector<VertexId> next_, fresh_, gone_;
  // What fresh_ are called, and the other direction: of labels that are strings what each has
  // become (kNoVertex: it went), of integers those that came, and which of the graph's went.
  std::vector<const std::string*> fresh_label_;  // keys of now_
  std::unordered_map<std::string, VertexId> now_;
  std::vector<std::uint64_t> fresh_integer_;
  IntegerTable came_;
  IntegerTable went_;                        // their vertices do not matter
  std::vector<std::uint64_t> gone_integer_;  // the same in a row
};

}  // namespace fathom::dynamic
