// What may fail on one rank alone, such as opening its own file, fails on all of them.
#pragma once

#include "fathom/core/function_ref.hpp"
#include "fathom/exec/ranks/replica_group.hpp"

namespace fathom {

/// Calls body(), which makes no exchanges, on each rank. Where it throws an Error on some, all
/// ranks throw that of the first of them.
FATHOM_API void fail_together(ReplicaGroup& group, FunctionRef<void()> body);

}  // namespace fathom
