// Ranks that are processes, started by mpirun or srun.
#pragma once

#include <memory>

#include "fathom/exec/ranks/replica_group.hpp"

namespace fathom {

/// Whether this program was built with MPI (FATHOM_MPI).
FATHOM_API bool has_mpi();

/// Whether a launcher started this process as one rank of several: its variables say so.
FATHOM_API bool launched_as_rank();

/// Initialises MPI and returns the group of all processes; it is to be called once, by the thread
/// that makes the group's exchanges. MPI ends when the last owner of the group lets go of it, which
/// all ranks are to do.
/// @throws Error(Device) where the program was built without MPI; Error(Io) where MPI does not
/// start.
FATHOM_API std::shared_ptr<ReplicaGroup> start_mpi_ranks();

/// The ranks of a group on one machine.
struct RanksHere {
  int rank = 0, ranks = 1;  // this one's place among them, and how many they are
};
/// Of this machine; a rank alone for groups that are not MPI's.
FATHOM_API RanksHere ranks_on_this_machine(const ReplicaGroup& group);

/// Whether all ranks have failed with this status and so call this too: then each ends by itself.
/// Otherwise some wait for others in an exchange. Cost: up to two seconds where not all come.
/// True for a process alone.
FATHOM_API bool all_mpi_ranks_failed(int status);

/// Ends all ranks, with this exit status. Does nothing without MPI, or before it began.
FATHOM_API void abort_mpi_ranks(int status);

}  // namespace fathom
