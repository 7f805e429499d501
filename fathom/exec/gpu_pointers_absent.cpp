// Memory of GPUs in a build without CUDA.
#include "fathom/core/error.hpp"
#include "fathom/exec/gpu_pointers.hpp"

namespace fathom {

#ifndef FATHOM_WITH_CUDA

int gpu_of_pointer(const void*) {
  return -1;
}

void wait_for_gpu(int) {
  throw Error(ErrorCode::Device, "this build of Fathom has no CUDA: it cannot wait for a GPU");
}

#endif

}  // namespace fathom
