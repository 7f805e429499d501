// What a .cu file needs to compile operators for its functors: include this and write one line per
// functor and operator, inside namespace fathom.
#pragma once

#include "fathom/ops/cuda/advance.cuh"
#include "fathom/ops/cuda/gather.cuh"
#include "fathom/ops/cuda/intersect.cuh"
#include "fathom/ops/cuda/run_small.cuh"
#include "fathom/ops/cuda/vertices.cuh"

#define FATHOM_CUDA_ADVANCE(...)                                                    \
  template void cuda::advance<__VA_ARGS__>(const Pass&, EdgeId, const FrontierRef&, \
                                           const __VA_ARGS__&, std::uint64_t*)
#define FATHOM_CUDA_GATHER(...)                                                    \
  template void cuda::gather<__VA_ARGS__>(const Pass&, EdgeId, const FrontierRef&, \
                                          const __VA_ARGS__&, std::uint64_t*,      \
                                          TallyOf<__VA_ARGS__>&)
#define FATHOM_CUDA_COMPUTE(...)                                                           \
  template void cuda::compute<__VA_ARGS__>(const Device&, const FrontierRef&, VertexRange, \
                                           const __VA_ARGS__&)
#define FATHOM_CUDA_FILTER(...)                                                           \
  template void cuda::filter<__VA_ARGS__>(const Device&, const FrontierRef&, VertexRange, \
                                          const __VA_ARGS__&, std::uint64_t*)
#define FATHOM_CUDA_REDUCE(T, COMBINE, ...)                                       \
  template T cuda::reduce<T, __VA_ARGS__, COMBINE>(const Device&, VertexRange, T, \
                                                   const __VA_ARGS__&, const COMBINE&)
#define FATHOM_CUDA_INTERSECT(...)                                                       \
  template std::uint64_t cuda::intersect<__VA_ARGS__>(const PairPass&, EdgeId, VertexId, \
                                                      const __VA_ARGS__&)
#define FATHOM_CUDA_RUN_SMALL(...)                                                          \
  template SmallRun cuda::run_small<__VA_ARGS__>(const Device&, const AnyEdges&, Frontier&, \
                                                 std::uint32_t, const __VA_ARGS__&)
