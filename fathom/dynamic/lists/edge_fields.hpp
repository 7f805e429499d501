// Types and timestamps of edges where they are stored, in lists of a graph that changes; for
// kernels too. They lie behind the weight of an edge as the weight does behind its target.
#pragma once

#include "fathom/graph/fields.hpp"
#include "fathom/residency/dynamic_edges.hpp"

namespace fathom::dynamic {

/// Words of an edge with fields: its target, its weight, and they.
inline constexpr std::uint32_t kSemanticWords = 2 + kFieldWords;

FATHOM_HD bool has_fields(const DynamicLayout& layout) {
  return layout.entry_words == kSemanticWords;
}

/// The fields of an edge of a span of lists that has_fields().
FATHOM_HD EdgeFields edge_fields(const DynamicSpan& span, std::size_t i) {
  const std::uint32_t* const target = span.target_at + i * span.step;
  const auto apart = reinterpret_cast<const std::uint32_t*>(span.weight_at) - span.target_at;
  return fields_of_words(
      [=](std::uint32_t k) { return target[static_cast<std::ptrdiff_t>(2 + k) * apart]; });
}

/// An edge as lists are sorted.
struct ListEntry {
  VertexId target;
  Weight weight;
  EdgeFields fields;

  // The checker reads the 0 in what is generated as a pointer.
  // NOLINTNEXTLINE(modernize-use-nullptr)
  friend auto operator<=>(const ListEntry&, const ListEntry&) = default;
};

/// Calls visit(entry) for each edge of v, in the order of its list: of lists that has_fields().
template <class Visit>
void each_entry(const DynamicEdges& edges, VertexId v, const Visit& visit) {
  DynamicSpan s;
  for (auto cursor = edges.begin(v); edges.next(cursor, s);)
    for (std::uint32_t i = 0; i < s.size; ++i)
      visit(ListEntry{s.target(i), s.weight(i), edge_fields(s, i)});
}

}  // namespace fathom::dynamic
