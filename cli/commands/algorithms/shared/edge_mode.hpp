// --hops and --mode: what neighborhood and egonet have in common.
#pragma once

#include <CLI/CLI.hpp>

#include <string>

#include "fathom/algorithms/subgraph/neighborhood.hpp"

namespace fathom::cli {

/// "out", "in" or "all".
std::string name_of(EdgeMode mode);

/// `options` outlives the parsing.
void add_neighborhood_options(CLI::App& command, NeighborhoodOptions& options);

}  // namespace fathom::cli
