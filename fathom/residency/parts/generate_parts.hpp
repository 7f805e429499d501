// A generated graph straight into parts, by one process or by ranks together: no file, and of ranks
// no machine, ever holds all of its lists.
#pragma once

#include <string>
#include <vector>

#include "fathom/exec/ranks/replica_group.hpp"
#include "fathom/generate/generate.hpp"
#include "fathom/store/make/convert.hpp"
#include "fathom/store/parts/part_layout.hpp"

namespace fathom {

/// Writes the parts that store::partition() would make of the graph that store::generate() writes,
/// the same files whatever the ranks, the threads and the memory bound, which each rank has for
/// itself. Each rank writes store::parts_of_rank() into its directory; what it returns is all of
/// them. Needs beside the parts room for the offsets, 8 bytes per vertex.
/// Cost: the edges are counted once, by all ranks together. Each rank produces all of them as often
/// as its lists fit the memory; where duplicates are merged, once more as often, and with in-edges
/// and several ranks yet once more.
/// @throws Error(Usage) as partition() does, and for layouts other than CSR; Error(DoesNotFit) for
///         too small a memory bound; Error(Io); Error(Interrupted). What one rank throws ends all:
///         parts appear when all are whole, but for the moment in which they get their names.
FATHOM_API std::vector<store::PartLayout> generate_parts(
    const generate::Generator& generator, const std::string& directory, std::uint32_t parts,
    const store::ConvertOptions& options, ReplicaGroup& group = *ReplicaGroup::alone());

}  // namespace fathom
