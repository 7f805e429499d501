// Ranks that are threads of this process: the same program as under mpirun, where a debugger and
// sanitizers see all of it. For tests, and for programs that bring threads of their own.
#pragma once

#include <memory>

#include "fathom/core/function_ref.hpp"
#include "fathom/exec/ranks/replica_group.hpp"

namespace fathom {

/// Calls body(group) in `ranks` threads, each with its own place in one group. When one throws, the
/// others' exchanges throw too, and what the first of them threw is thrown here.
/// @throws Error(Usage) for less than one rank.
FATHOM_API void run_thread_ranks(int ranks,
                                 FunctionRef<void(const std::shared_ptr<ReplicaGroup>&)> body);

}  // namespace fathom
