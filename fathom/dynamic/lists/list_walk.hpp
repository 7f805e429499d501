// Walks over the lists of a graph that changes.
#pragma once

#include <type_traits>

#include "fathom/dynamic/lists/find_edge.hpp"

namespace fathom::dynamic {

/// visit(target) for each edge of v, on the host; stops and returns false when a visit returns
/// false.
template <class Visit>
bool each_target(const DynamicEdges& edges, VertexId v, const Visit& visit) {
  DynamicSpan s;
  for (auto cursor = edges.begin(v); edges.next(cursor, s);)
    for (std::uint32_t i = 0; i < s.size; ++i) {
      if constexpr (std::is_void_v<decltype(visit(VertexId{}))>)
        visit(s.target(i));
      else if (!visit(s.target(i)))
        return false;
    }
  return true;
}

/// How many edges there are from u to v. Cost: as find_edge().
FATHOM_HD std::uint32_t count_edges(const DynamicEdges& edges, VertexId u, VertexId v) {
  DynamicSpan s;
  std::uint32_t count = 0;
  for (auto cursor = edges.begin(u); edges.next(cursor, s);) {
    std::uint32_t i = 0;
    if (edges.layout.link_words == 0) {
      for (i = first_at_least(s, v, 0, s.size); i < s.size && s.target(i) == v; ++i) ++count;
    } else {
      for (; i < s.size; ++i) count += s.target(i) == v ? 1 : 0;
    }
  }
  return count;
}

}  // namespace fathom::dynamic
