// What a graph's sources report of the host memory that they obtained for GPUs. No CUDA here.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fathom/core/platform.hpp"

namespace fathom {

class Graph;
class PinnedPieces;

struct HostMemoryBlock {
  const void* at = nullptr;
  /// "managed", "malloc", "register" (pages of its own), "file" (registered where it is mapped) or
  /// "buffer" (of pages from a disk, registered).
  std::string way;
  std::uint64_t bytes = 0;
  std::uint64_t pinned_bytes = 0;  // by the driver so far; the driver does not pin managed memory
  double seconds = 0;              // that the caller waited for it, with what was copied into it
  double background_seconds = 0;   // that pinning took beside other work
  std::string note;                // what was refused, and what that costs; empty: nothing
};

/// Memory that is pinned in pieces.
FATHOM_API HostMemoryBlock block_of(const PinnedPieces& pieces, std::string way);

/// The sum; each block once, although two sources may share one.
class FATHOM_API HostMemoryReport {
 public:
  void add(const HostMemoryBlock& block);

  const std::vector<std::string>& ways() const { return ways_; }
  const std::vector<std::string>& notes() const { return notes_; }
  std::uint64_t bytes() const { return sum_.bytes; }
  std::uint64_t pinned_bytes() const { return sum_.pinned_bytes; }
  double seconds() const { return sum_.seconds; }
  double background_seconds() const { return sum_.background_seconds; }

 private:
  std::vector<const void*> counted_;
  std::vector<std::string> ways_, notes_;  // each once
  HostMemoryBlock sum_;
};

/// Of the sources that a graph has opened so far.
FATHOM_API HostMemoryReport host_memory_of(const Graph& graph);

}  // namespace fathom
