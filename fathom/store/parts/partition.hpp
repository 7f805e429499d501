// A graph divided into parts, for processes that have a piece of it each: as many edges to each, as
// far as whole lists allow.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "fathom/core/task.hpp"
#include "fathom/store/parts/part_layout.hpp"
#include "fathom/store/store.hpp"

namespace fathom::store {

struct PartitionOptions {
  std::uint32_t parts = 1;
  std::size_t memory = std::size_t{4} << 30;
  std::string provenance;
  Task task;
  std::optional<OwnParts> own = std::nullopt;  // those to write, of one of several ranks; else all
};

/// Writes the graph of a .fg file as files part_path(directory, i, parts), each whole or not at
/// all. A part has the offsets of all vertices, and the lists of a range of them in CSR, whatever
/// the layout was; labels, degrees, policies, report and fingerprint are those of the graph.
/// Interleaved and degree-oriented lists, and types and timestamps of edges, are left out. The
/// directory is made if need be.
/// Returns what all parts have.
/// Cost: one read of the lists, one of offsets and labels for each part.
/// @throws Error(Usage) for less than one part, more than kMostParts, or a directory that has other
///         files; Error(DoesNotFit) for too small a memory bound; Error(BadInput), Error(Io),
///         Error(Interrupted).
FATHOM_API std::vector<PartLayout> partition(const std::string& input, const std::string& directory,
                                             const PartitionOptions& options);

/// Makes the directory, if need be, of so many parts.
/// @throws Error(Usage) as partition() does; Error(Io)
void make_part_directory(const std::string& directory, std::uint32_t parts);

}  // namespace fathom::store
