// A result file that ranks write together, for they all know all of it.
#pragma once

#include <string>

#include "fathom/exec/ranks/replica_group.hpp"
#include "fathom/io/result_writer.hpp"

namespace fathom {

/// Writes what io::write_results() would, byte by byte. Ranks take turns by blocks of rows: each
/// that sees the file system of the first one makes the text of its block and writes it behind
/// those of the ranks before. `path` is the first rank's. All ranks call it, with the same rows.
/// Memory: the text of 65,536 rows. Cost: 8 bytes told to each rank for as many rows of each.
/// @throws Error(Usage), Error(Io), Error(Interrupted)
FATHOM_API void write_results(ReplicaGroup& group, const std::string& path,
                              const io::ResultRows& rows, const Task& task = {});

}  // namespace fathom
