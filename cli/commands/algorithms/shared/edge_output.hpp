// Where the edges of a part of a graph go: a .fg file, or a table with a line per edge.
#pragma once

#include <string>

#include "cli/commands/algorithms/shared/algorithm_run.hpp"
#include "fathom/algorithms/subgraph/subgraph.hpp"

namespace fathom::cli {

/// Writes a subgraph under the caller's labels: to a .fg file as directed and weighted as the graph
/// is, or to a .tsv or .csv file with the columns source, target and, if weighted, weight; of an
/// undirected graph each edge once. Of several ranks the first one writes.
/// @throws Error(Io); Error(Usage) for another suffix.
void write_subgraph(const std::string& path, const SubgraphResult& part, const AlgorithmRun& run);

}  // namespace fathom::cli
