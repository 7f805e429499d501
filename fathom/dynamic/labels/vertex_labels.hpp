// The caller's labels of vertices that come and go: integers or byte strings, in both directions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "fathom/core/platform.hpp"
#include "fathom/dynamic/labels/label_table.hpp"
#include "fathom/store/store.hpp"

namespace fathom::dynamic {

/// From integers to vertices. Lookups may run beside each other.
class IntegerTable {
 public:
  /// Whether there never was a label.
  bool empty() const { return slot_.empty(); }
  std::optional<VertexId> find(std::uint64_t label) const;
  /// The label is nobody's.
  void insert(std::uint64_t label, VertexId v);
  /// Whether it was there.
  bool remove(std::uint64_t label);

 private:
  LabelTable table() const {
    return LabelTable::of(const_cast<LabelSlot*>(slot_.data()), slot_.size());
  }
  void make_room();

  std::vector<LabelSlot> slot_;
  std::size_t taken_ = 0, size_ = 0;  // slots that are not empty; of them those with a label
};

/// Invariant: a label belongs to at most one vertex, and a vertex has at most one label.
class FATHOM_API VertexLabels {
 public:
  /// Of a graph without vertices. Strings may all be integers in the end.
  explicit VertexLabels(bool strings) : strings_(strings), any_(strings) {}
  /// Of a graph whose labels may be anything: integers as long as they are no more than that.
  static VertexLabels of_any();
  /// The labels of all vertices of a store. `any`: strings may come, though all are integers now,
  /// and those that there are may all be integers in the end; else they stay what they are.
  explicit VertexLabels(store::Store& store, bool any = false);

  /// Whether labels are kept as text.
  bool strings() const { return strings_; }
  /// Whether a label may come that is no integer as it would be printed: become_strings() first.
  bool may_become_strings() const { return any_ && !strings_; }
  void become_strings();
  std::size_t size() const { return size_; }

  std::optional<VertexId> find(std::string_view label) const;
  /// Where labels are integers, without a detour by text. May run beside others.
  std::optional<VertexId> find_integer(std::uint64_t label) const {
    if (!of_integer_.empty()) return of_integer_.find(label);
    if (label >= known_.size() || !known_[label]) return std::nullopt;
    return static_cast<VertexId>(label);
  }
  bool has(VertexId v) const { return v < known_.size() && known_[v]; }
  /// Of a vertex that has one.
  std::string label(VertexId v) const;
  // The same as it is kept, where labels are strings, or integers.
  const std::string& text(VertexId v) const { return string_[v]; }
  std::uint64_t integer(VertexId v) const { return of_integer_.empty() ? v : integer_[v]; }

  /// The label is acceptable and nobody's, and v has none.
  void set(VertexId v, std::string_view label);
  void set_integer(VertexId v, std::uint64_t label);
  void remove(VertexId v);

  /// Whether a file has them as strings: not where all may be integers, and are, each as it would
  /// be printed.
  bool stored_as_strings() const;
  /// Vertices with labels by label: bytewise when stored_as_strings(), else by value.
  std::vector<VertexId> ordered() const;

 private:
  void know(VertexId v);
  void leave_indices();

  bool strings_;
  bool any_;  // they may be anything, and integers where all are
  std::size_t size_ = 0;
  std::vector<bool> known_;
  // Both empty as long as every label is its vertex's index.
  std::vector<std::uint64_t> integer_;
  IntegerTable of_integer_;
  std::vector<std::string> string_;
  std::unordered_map<std::string, VertexId> of_string_;
};

}  // namespace fathom::dynamic
