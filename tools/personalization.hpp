// The file of --personalization: where jumps of a PageRank walk go.
#pragma once

#include <string>
#include <vector>

#include "loaded_graph.hpp"

namespace fathom::cli {

/// One value per vertex, 0 where the file says nothing. A line is LABEL<TAB>WEIGHT (or separated by
/// the last comma or blank where there is no tab); lines that are empty or begin with # are
/// skipped, and so is a first line "vertex<TAB>...", so that a result file can be used.
/// @throws Error(BadInput) with file and line; Error(Io).
std::vector<double> read_personalization(const std::string& path, const LoadedGraph& graph);

}  // namespace fathom::cli
