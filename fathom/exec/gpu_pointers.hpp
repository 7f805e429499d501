// Memory of GPUs that others allocated and write.
#pragma once

#include "fathom/core/platform.hpp"

namespace fathom {

/// The ordinal of the GPU in whose memory a pointer is; -1: in none that is known.
FATHOM_API int gpu_of_pointer(const void* p);

/// Waits for everything that anybody in this process has started on a GPU.
/// @throws Error(Device) when some of it failed, or without CUDA
FATHOM_API void wait_for_gpu(int ordinal);

}  // namespace fathom
