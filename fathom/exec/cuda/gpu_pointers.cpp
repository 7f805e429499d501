#include "fathom/exec/gpu_pointers.hpp"

#include <cuda_runtime_api.h>

#include "fathom/exec/cuda/gpu.hpp"

namespace fathom {

int gpu_of_pointer(const void* p) {
  cudaPointerAttributes its{};
  if (cudaPointerGetAttributes(&its, p) != cudaSuccess) {
    static_cast<void>(cudaGetLastError());  // not to be found by others
    return -1;
  }
  return its.type == cudaMemoryTypeDevice || its.type == cudaMemoryTypeManaged ? its.device : -1;
}

void wait_for_gpu(int ordinal) {
  int before = 0;
  cuda::check(cudaGetDevice(&before), "asking for the CUDA device");
  cuda::check(cudaSetDevice(ordinal), "selecting the CUDA device");
  const cudaError_t status = cudaDeviceSynchronize();
  cuda::check(cudaSetDevice(before), "selecting the CUDA device");
  cuda::check(status, "waiting for work that others started");
}

}  // namespace fathom
