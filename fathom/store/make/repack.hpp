// The same graph in another layout, CSR, slotted pages or packed lists, within a memory bound.
#pragma once

#include <string>

#include "fathom/core/atomic_file.hpp"
#include "fathom/core/task.hpp"
#include "fathom/store/store.hpp"
#include "fathom/store/store_file.hpp"

namespace fathom::store {

struct RepackOptions {
  std::optional<SlottedOptions> slotted;  // neither: CSR
  bool packed = false;
  bool in_edges = true;                   // keep them
  bool interleave_weights = false;        // CSR: also store pairs
  std::size_t memory = std::size_t{4} << 30;
  int threads = 0;
  std::string provenance;
  Task task;
};

/// Writes the graph of a .fg file as another .fg file. Labels, policies, report, degree-oriented
/// lists and fingerprint stay. Cost: the offsets are read three times, everything else once.
/// @throws Error(DoesNotFit) when the pages have no ids, with a configuration that works, or when
///         the memory holds no page; Error(Usage) for a configuration that there is not, and for edges with
///         types and timestamps to be packed;
///         Error(BadInput), Error(Io), Error(Interrupted); nothing is left then.
FATHOM_API Header repack(const std::string& input, const std::string& output,
                         const RepackOptions& options);
Header repack(const StoreFile& file, AtomicFile output, const RepackOptions& options);

}  // namespace fathom::store
