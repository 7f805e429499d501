// What becomes of a live arena on a GPU, as functions that queue their kernels.
#pragma once

#include "fathom/dynamic/pages/bulk_pool.hpp"
#include "fathom/dynamic/pages/live_arena.hpp"
#include "fathom/exec/cuda/gpu.hpp"

namespace fathom::dynamic::gpu {

/// Gives the pages on the arena's stacks back to the pool, which has room for them.
void empty_stacks(cuda::Gpu& gpu, const BulkPoolRef& pool, const LiveArena& arena);

}  // namespace fathom::dynamic::gpu
