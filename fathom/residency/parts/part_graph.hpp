// Graphs whose parts ranks have, one each (store/parts/).
#pragma once

#include <memory>
#include <string>

#include "fathom/exec/ranks/replica_group.hpp"
#include "fathom/residency/graph.hpp"
#include "fathom/store/parts/part_store.hpp"

namespace fathom {

/// Opens a .fg file; or of a directory of parts that of this rank, with all ranks of the group,
/// which fail together.
/// @throws Error(Usage) where there are other than as many parts as ranks; Error(BadInput) naming a
///         file that is missing, damaged or a part of another graph; Error(Io).
FATHOM_API std::shared_ptr<store::Store> open_graph(ReplicaGroup& group, const std::string& path);

/// A graph over a part that open_graph() opened. Its lists are read where they are mapped, copied
/// to memory (Resident), or streamed: from the part's own file, or on devices out of host memory.
/// Lists that ranks make together (degree-oriented ones) are in memory everywhere.
/// @throws Error(Usage) for GPUs, stripes and split state.
Graph make_part_graph(const Context& ctx, const std::shared_ptr<store::PartStore>& part,
                      const ResidencyOptions& wanted);

}  // namespace fathom
