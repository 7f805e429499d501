// The kernels of shortest paths in one precision: with kernels of several, nvcc takes long.
#pragma once

#include "fathom/algorithms/sssp/functors.hpp"
#include "fathom/ops/bucket_functors.hpp"
#include "fathom/ops/cuda/instantiate.cuh"
#include "fathom/ops/cuda/windows.cuh"
#include "fathom/ops/in_chunk.hpp"

#define FATHOM_CUDA_SSSP(Length)                            \
  FATHOM_CUDA_ADVANCE(Relax<Length>);                       \
  FATHOM_CUDA_WINDOWS(Length, Relax<Length>);               \
  FATHOM_CUDA_ADVANCE(InChunk<RelaxApart<Length>>);         \
  FATHOM_CUDA_FILTER(WithinBound<Length>);                  \
  FATHOM_CUDA_REDUCE(Length, MergeMin, PendingKey<Length>); \
  FATHOM_CUDA_REDUCE(VertexId, MergeSum, CountReached<Length>)
