// How breadth-first search answers: what one search found, and searches from several sources.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fathom/algorithms/bfs/bfs.hpp"
#include "fathom/algorithms/described/algorithm.hpp"

namespace fathom {

/// What one search found; a view.
struct FoundDepths {
  std::span<const std::uint32_t> depth;
  std::span<const VertexId> parent;  // empty unless asked for
  VertexId reached = 0;
  std::uint32_t max_depth = 0;
};

FoundDepths found_by(const BfsResult& result);

/// The line of a summary that says what was found.
std::string depth_headline(const FoundDepths& found, const std::string& from);

Facts depth_facts(const FoundDepths& found, const std::vector<std::string>& sources);

/// `suffix` tells its columns from those of other searches.
void add_depth_columns(std::vector<AnswerColumn>& columns, const FoundDepths& found,
                       const std::string& suffix);

/// A search from each source alone, many at a time where they fit beside each other.
/// @throws Error(Usage) when two columns would be of the same source.
Answer bfs_from_each(const Context& ctx, const Graph& graph, const ChosenVertices& sources,
                     const BfsOptions& options);

}  // namespace fathom
