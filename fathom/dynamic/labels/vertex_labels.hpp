// The caller's labels of vertices that come and go: integers or byte strings, in both directions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "fathom/core/platform.hpp"
#include "fathom/store/store.hpp"

namespace fathom::dynamic {

/// Invariant: a label belongs to at most one vertex, and a vertex has at most one label.
class FATHOM_API VertexLabels {
 public:
  explicit VertexLabels(bool strings) : strings_(strings) {}
  /// The labels of all vertices of a store. `any`: strings may come, though all are integers now.
  explicit VertexLabels(store::Store& store, bool any = false);

  bool strings() const { return strings_; }
  std::size_t size() const { return strings_ ? of_string_.size() : of_integer_.size(); }

  /// Whether a vertex can have this label: anything, or an integer below 2^64 in decimal.
  bool acceptable(std::string_view label) const;
  std::optional<VertexId> find(std::string_view label) const;
  /// Where labels are integers, without a detour by text.
  std::optional<VertexId> find_integer(std::uint64_t label) const;
  bool has(VertexId v) const { return v < known_.size() && known_[v]; }
  /// Of a vertex that has one.
  std::string label(VertexId v) const;
  // The same as it is kept, where labels are strings, or integers.
  const std::string& text(VertexId v) const { return string_[v]; }
  std::uint64_t integer(VertexId v) const { return integer_[v]; }

  /// The label is acceptable and nobody's, and v has none.
  void set(VertexId v, std::string_view label);
  void remove(VertexId v);

  /// Whether all labels are integers, each as it would be printed.
  bool all_integers() const;
  /// Vertices with labels by label: by value when all_integers(), else bytewise.
  std::vector<VertexId> ordered() const;

 private:
  bool strings_;
  std::vector<bool> known_;
  std::vector<std::uint64_t> integer_;
  std::vector<std::string> string_;
  std::unordered_map<std::uint64_t, VertexId> of_integer_;
  std::unordered_map<std::string, VertexId> of_string_;
};

}  // namespace fathom::dynamic
