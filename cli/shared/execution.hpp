// What the options that say where an algorithm runs, and where the edges live, come to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fathom/core/memory_pool.hpp"
#include "fathom/core/task.hpp"
#include "fathom/exec/context.hpp"
#include "fathom/exec/ranks/replica_group.hpp"
#include "fathom/residency/filtered/edge_filter.hpp"
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
  std::string access, packed, zerocopy, advice, prefetch, cache, cache_policy, page_move, technique;
  std::size_t cache_bytes = 0;
  bool sweeps = false;  // the command's: every superstep reads all edges
  std::string id_bits;
  int id_bytes = 0;
  // Which edges count; of `types` what --types says, "" when it is not given.
  std::optional<std::uint64_t> since, until, at;
  std::string types;
  // Not an option: who works on the graph together.
  std::shared_ptr<ReplicaGroup> group = ReplicaGroup::alone();
};

/// The context that the options ask for. `edges`: how large the graph is, for --device auto.
/// @throws Error(Device) for a device that cannot be used here; Error(Usage) for options that would
///         have no effect.
Context make_context(const ExecutionOptions& options, EdgeId edges, const Task& task);

/// The residency that they ask for, of a graph that is used in `context`.
/// @throws Error(Usage) for options that would have no effect there.
ResidencyOptions residency_options(const ExecutionOptions& options, const Context& context);

/// The filter that the options ask for. @throws Error(Usage) for types that are none, and for a
/// window that ends before it begins.
EdgeFilter filter_of(const ExecutionOptions& options);

/// The ordinal of the GPU that --device names; 0 when it names none.
int cuda_device_of(const ExecutionOptions& options);

/// "auto" is 0, as GpuEdgeOptions::id_bits has it; nothing for "".
std::optional<int> id_bits_named(const std::string& name);
/// "in-place" or "unpacked"; Auto for anything else.
PackedReads packed_named(const std::string& name);

/// "resident", "zerocopy", "managed" or "stream"; Auto for anything else.
ResidencyOptions::Kind residency_named(const std::string& name);
/// "p" or "s"; Auto for anything else.
Strategy strategy_named(const std::string& name);

}  // namespace fathom::cli
