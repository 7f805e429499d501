// Files that name vertices of a graph: a set of them, or a set for each.
#pragma once

#include <string>
#include <vector>

#include "loaded_graph.hpp"

namespace fathom::cli {

/// Vertices by their labels, one per line; what follows a tab is left out, so that a result file
/// can be used. Lines that are empty or begin with # are skipped, and so is a first line that is
/// "vertex" or begins with "vertex<TAB>".
/// @throws Error(BadInput) with file and line for a label the graph does not have; Error(Io).
std::vector<VertexId> read_vertices(const std::string& path, const LoadedGraph& graph);

struct Partition {
  std::vector<std::uint32_t> set;  // [vertices]; kNoSet for those not named
  std::vector<std::string> names;  // of the sets, in the order in which they first appear
};

/// Lines of LABEL<TAB>SET (or separated by the last comma or blank where there is no tab), skipped
/// as above. A vertex named twice must be in the same set.
/// @throws Error(BadInput) with file and line; Error(Io).
Partition read_partition(const std::string& path, const LoadedGraph& graph);

}  // namespace fathom::cli
