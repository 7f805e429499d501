// What every search asks of its sources.
#pragma once

#include <span>
#include <string>

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

}  // namespace fathom
