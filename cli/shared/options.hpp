// Options that several subcommands share.
#pragma once

#include <CLI/CLI.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/shared/execution.hpp"

namespace fathom::cli {

/// What becomes of a result.
struct OutputOptions {
  std::string result;  // -o; empty: no file
  std::string report;  // empty: no file
  std::uint64_t top = 0;
  int trials = 1;
  bool json = false, verify = false, quiet = false;
  bool edges = false;  // the result is edges, not a value per vertex
};

struct AlgorithmOptions {
  std::string graph;
  ExecutionOptions execution;
  OutputOptions output;
};

/// Adds what says on which devices an algorithm runs, with how many threads and how much of their
/// memory.
void add_device_options(CLI::App& command, ExecutionOptions& options);

/// Adds those, and what says where the edges live.
void add_execution_options(CLI::App& command, ExecutionOptions& options);

/// Adds what says which edges of a graph count.
void add_filter_options(CLI::App& command, ExecutionOptions& options);

/// Adds the graph argument and every option that all algorithms take.
void add_algorithm_options(CLI::App& command, AlgorithmOptions& options);

/// The same for algorithms whose result is edges: no --top, and -o as `output` describes it.
void add_edge_algorithm_options(CLI::App& command, AlgorithmOptions& options,
                                const std::string& output);

/// An option that takes an integer below 2^64, as timestamps are.
CLI::Option* add_moment(CLI::App& command, const std::string& name,
                        std::optional<std::uint64_t>& moment, const std::string& description);

/// An option that takes a size ("4GiB", "512M", "65536").
CLI::Option* add_size(CLI::App& command, const std::string& name, std::size_t& size,
                      const std::string& description);
CLI::Option* add_threads(CLI::App& command, int& threads);

/// What a number has to be.
CLI::Validator greater_than_zero();
CLI::Validator at_least_zero();

/// Directories of stripes, in order.
CLI::Option* add_ssd(CLI::App& command, std::vector<std::string>& directories);

/// The input graph of a subcommand.
CLI::Option* add_graph(CLI::App& command, std::string& path);

/// Fails now rather than after a long computation when a file could not be written.
/// @throws Error(Io), Error(Usage).
void check_writable(const std::string& path);

}  // namespace fathom::cli
