#include "fathom/dynamic/lists/cuda/gpu_vertex_table.hpp"
#include "fathom/dynamic/lists/cuda/lists.cuh"

namespace fathom::dynamic::gpu {
namespace {

__global__ void __launch_bounds__(kBlock)
    clear_fields(VertexFields* fields, VertexId first, VertexId last) {
  for (std::size_t v = first + thread_index(); v < last; v += thread_count())
    fields[v] = VertexFields{};
}

__global__ void __launch_bounds__(kBlock) set_fields(VertexFields* fields, const VertexId* vertex,
                                                     const VertexFields* value, std::size_t n) {
  for (std::size_t i = thread_index(); i < n; i += thread_count()) fields[vertex[i]] = value[i];
}

__global__ void __launch_bounds__(kBlock)
    find_fields_of(const VertexFields* fields, VertexId size, const VertexId* vertex, std::size_t n,
                   VertexId vertices, VertexFields* to, unsigned long long* bad) {
  for (std::size_t i = thread_index(); i < n; i += thread_count()) {
    const VertexId v = vertex[i];
    if (v >= vertices)
      atomicMin(bad, static_cast<unsigned long long>(i));
    else
      to[i] = v < size ? fields[v] : VertexFields{};
  }
}

__global__ void __launch_bounds__(kBlock)
    look_for_fields(const VertexFields* fields, VertexId size, std::uint32_t* any) {
  for (std::size_t v = thread_index(); v < size; v += thread_count())
    if (fields[v].weight != 1 || fields[v].type != 0) AtomicRef(*any).store(1u);
}

}  // namespace

void clear_vertex_fields(cuda::Gpu& gpu, VertexFields* fields, VertexId first, VertexId last) {
  clear_fields<<<blocks_for(gpu, last - first), kBlock, 0, gpu.stream()>>>(fields, first, last);
}
void set_vertex_fields(cuda::Gpu& gpu, VertexFields* fields, const VertexId* vertex,
                       const VertexFields* value, std::size_t n) {
  set_fields<<<blocks_for(gpu, n), kBlock, 0, gpu.stream()>>>(fields, vertex, value, n);
}
void find_vertex_fields(cuda::Gpu& gpu, const VertexFields* fields, VertexId size,
                        const VertexId* vertex, std::size_t n, VertexId vertices, VertexFields* to,
                        unsigned long long* bad) {
  find_fields_of<<<blocks_for(gpu, n), kBlock, 0, gpu.stream()>>>(fields, size, vertex, n, vertices,
                                                                  to, bad);
}
void look_for_vertex_fields(cuda::Gpu& gpu, const VertexFields* fields, VertexId size,
                            std::uint32_t* any) {
  look_for_fields<<<blocks_for(gpu, size), kBlock, 0, gpu.stream()>>>(fields, size, any);
}

}  // namespace fathom::dynamic::gpu
