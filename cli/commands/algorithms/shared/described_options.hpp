// The options of an algorithm that describes itself, on a command line.
#pragma once

#include <CLI/CLI.hpp>

#include <map>
#include <span>
#include <string>

#include "cli/shared/loaded_graph.hpp"
#include "fathom/algorithms/described/algorithm.hpp"

namespace fathom::cli {

/// What a command line says of them. Files are named here, and read once the graph is there.
struct DescribedOptions {
  explicit DescribedOptions(const Algorithm& its) : algorithm(its), values(its.options) {}

  const Algorithm& algorithm;
  OptionValues values;                            // that were given; the others have their defaults
  std::map<std::string_view, std::string> files;  // of options that are some

  /// The values, with the vertices that labels and files name in this graph.
  /// @throws Error(Usage) for a label that no vertex has; Error(BadInput), Error(Io) for a file.
  OptionValues of(const LoadedGraph& graph) const;
};

/// Adds one whose value is no file and needs no graph: a flag, a number or a mode.
/// @throws Error(Internal) for another.
CLI::Option* add_value_option(CLI::App& command, const OptionInfo& info, OptionValues& values);

/// Adds them all; `options` outlive the parsing.
void add_described_options(CLI::App& command, DescribedOptions& options);

}  // namespace fathom::cli
