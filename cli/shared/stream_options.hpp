// What `fathom stream` is asked for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/shared/options.hpp"
#include "fathom/dynamic/dynamic_graph.hpp"
#include "fathom/dynamic/log/update_log.hpp"

namespace fathom::cli {

struct StreamCommand {
  std::string graph, updates, output, checkpoint;
  std::uint64_t checkpoint_every = 0;  // batches; 0: not given
  bool resume = false;
  std::string log, sync = "1";  // sync: batches, or none
  std::uint64_t log_size = 0;   // bytes; 0: not given
  bool continued = false;
  std::optional<std::uint64_t> expire;  // how wide the window is
  bool incremental = false;
  bool empty = false, undirected = false, weighted = false, semantic = false, json = false,
       quiet = false;
  std::size_t batch = 100000;
  std::string duplicates = "overwrite", update = "auto", edges = "aos";
  std::string layout = "ouro", allocator = "pool";
  std::uint32_t page_bytes = 0;  // 0: not given
  bool sorted_links = false;
  double slack = 0, shrink_below = 0.5;
  std::vector<std::string> every;
  ExecutionOptions execution;  // as add_stream_options() has it: the cpu unless another is named
};

/// Options and arguments of the command.
void add_stream_options(CLI::App& command, StreamCommand& c);

// What checked words mean: ouro, faim or aim; update, warp, vertex, sorted or auto.
DynamicLayoutKind layout_named(const std::string& name);
UpdateStrategy update_strategy_named(const std::string& name);

/// How the graph lies in memory and what duplicates do; the graph says the rest.
DynamicGraphOptions graph_options(const StreamCommand& c);

/// Of --log.
dynamic::UpdateLogOptions log_options(const StreamCommand& c);

/// @throws Error(Usage) for options that do not go together, and for files that cannot be written.
void check_options(const StreamCommand& c);

}  // namespace fathom::cli
