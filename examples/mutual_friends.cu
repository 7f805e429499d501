// A kernel of one's own over the lists of a graph that changes.
#include "mutual_friends.hpp"

#include <cuda_runtime.h>

__global__ void add_mutual_edges(fathom::DynamicEdges lists, fathom::VertexId vertices,
                                 unsigned long long* sum) {
  const fathom::VertexId v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v < vertices) atomicAdd(sum, mutual_edges(lists, v));
}

__global__ void answer_everybody(fathom::LiveLists lists) {
  const fathom::VertexId u = blockIdx.x * blockDim.x + threadIdx.x;
  if (u < lists.vertices()) answer_all(lists, u);
}

void answer_all_on_gpu(const fathom::LiveLists& lists) {
  const auto blocks = static_cast<unsigned>((lists.vertices() + 255) / 256);
  answer_everybody<<<blocks, 256>>>(lists);
}

bool gpu_is_there() {
  int devices = 0;
  return cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0;
}

std::uint64_t mutual_edges_on_gpu(const fathom::DynamicEdges& lists, fathom::VertexId vertices) {
  unsigned long long* sum = nullptr;
  if (cudaMallocManaged(&sum, sizeof *sum) != cudaSuccess) return 0;
  *sum = 0;
  add_mutual_edges<<<(vertices + 255) / 256, 256>>>(lists, vertices, sum);
  cudaDeviceSynchronize();
  const std::uint64_t found = *sum;
  cudaFree(sum);
  return found;
}
