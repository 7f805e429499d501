// The same graph in another layout, CSR, slotted pages, packed or narrow lists, within a memory
// bound.
#pragma once

#include <string>

#include "fathom/core/atomic_file.hpp"
#include "fathom/core/task.hpp"
#include "fathom/store/store.hpp"
#include "fathom/store/store_file.hpp"

namespace fathom::store {

struct RepackOptions {
  std::optional<SlottedOptions> slotted;
  bool packed = false;
  bool narrow = false;              // none of the three: CSR
  bool in_edges = true;             // keep them
  bool interleave_weights = false;  // CSR: also store pairs
  std::size_t memory = std::size_t{4} << 30;
  int threads = 0;
  std::string provenance;
  Task task;
};

/// Writes the graph of a .fg file as another .fg file. Labels, policies, report, degree-oriented
/// lists and fingerprint stay. Cost: for slotted pages the offsets are read three times, for narrow
/// lists the edges twice if they have weights; everything else once.
/// @throws Error(DoesNotFit) when the pages have no ids, with a configuration that works, or when
///         the memory holds no page; Error(Usage) for a configuration that there is not, for
///         edges with types and timestamps in another layout than CSR, and for more distinct
///         weights than narrow lists have codes for; Error(BadInput), Error(Io),
///         Error(Interrupted); nothing is left then.
FATHOM_API Header repack(const std::string& input, const std::string& output,
                         const RepackOptions& options);
Header repack(const StoreFile& file, AtomicFile output, const RepackOptions& options);

}  // namespace fathom::store
