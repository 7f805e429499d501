// What every search asks of its sources.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "fathom/core/error.hpp"
#include "fathom/residency/graph.hpp"

namespace fathom {

/// @throws Error(Usage) naming the first source that is not a vertex.
inline void check_sources(const Graph& graph, std::span<const VertexId> sources) {
  for (const VertexId s : sources)
    if (s >= graph.vertices())
      throw Error(ErrorCode::Usage, "source " + std::to_string(s) +
                                        " is out of range: the graph has " +
                                        std::to_string(graph.vertices()) + " vertices");
}

/// The sources in ascending order, each once.
inline std::vector<VertexId> distinct(std::span<const VertexId> sources) {
  std::vector<VertexId> list(sources.begin(), sources.end());
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
  return list;
}

}  // namespace fathom
