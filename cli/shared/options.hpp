// Options that several subcommands share, and what they mean.
#pragma once

#include <CLI/CLI.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "cli/shared/session.hpp"
#include "fathom/core/memory_pool.hpp"
#include "fathom/exec/context.hpp"
#include "fathom/residency/graph.hpp"

namespace fathom::cli {

/// Where an algorithm runs and where the edges live.
struct ExecutionOptions {
  std::string device = "auto";
  int devices = 0;
  std::string strategy = "auto";
  std::uint32_t chunks = 0;  // 0: not given
  int threads = 0;
  std::string residency = "auto";
  std::size_t device_memory = MemoryPool::kUnlimited;
  std::size_t host_memory = MemoryPool::kUnlimited;
  // How edges are streamed; "" or 0: not given.
  std::size_t page_bytes = 0;
  std::string io;
  std::uint32_t io_depth = 0;
  std::vector<std::string> ssd;  // directories of stripes
  std::string trace;             // a file
  // How a GPU reaches edges in host memory, likewise. `cache` is of streamed edges too.
  std::string access, zerocopy, advice, prefetch, cache, cache_policy, page_move, technique;
  std::size_t cache_bytes = 0;
  bool sweeps = false;  // the command's: every superstep reads all edges
  int id_bytes = 0;
};

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

/// Adds the graph argument and every option that all algorithms take.
void add_algorithm_options(CLI::App& command, AlgorithmOptions& options);

/// The same for algorithms whose result is edges: no --top, and -o as `output` describes it.
void add_edge_algorithm_options(CLI::App& command, AlgorithmOptions& options,
                                const std::string& output);

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

/// The context that the options ask for. `edges`: how large the graph is, for --device auto.
/// @throws Error(Device) for a device that cannot be used here; Error(Usage) for options that would
///         have no effect.
/// The ordinal of the GPU that --device names; 0 when it names none.
int cuda_device_of(const ExecutionOptions& options);

Context make_context(const ExecutionOptions& options, EdgeId edges, const Task& task);
/// @throws Error(Usage) for options that would have no effect on this context.
/// "resident", "zerocopy", "managed" or "stream"; Auto for anything else.
ResidencyOptions::Kind residency_named(const std::string& name);
Strategy strategy_named(const std::string& name);
ResidencyOptions residency_options(const ExecutionOptions& options, const Context& context);

/// Fails now rather than after a long computation when a file could not be written.
/// @throws Error(Io), Error(Usage).
void check_writable(const std::string& path);

}  // namespace fathom::cli
