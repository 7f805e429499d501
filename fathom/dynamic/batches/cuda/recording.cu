#include "fathom/dynamic/batches/recording_functors.hpp"
#include "fathom/ops/cuda/instantiate.cuh"

namespace fathom {

FATHOM_CUDA_COMPUTE(dynamic::KeyOfUpdate);
FATHOM_CUDA_COMPUTE(dynamic::MirrorKey);
FATHOM_CUDA_COMPUTE(dynamic::BeginsPair);
FATHOM_CUDA_COMPUTE(dynamic::TakePair);
FATHOM_CUDA_COMPUTE(dynamic::CountPair);
FATHOM_CUDA_COMPUTE(dynamic::TellChange);
FATHOM_CUDA_COMPUTE(dynamic::KeepChange);
FATHOM_CUDA_COMPUTE(dynamic::BeginsList);
FATHOM_CUDA_COMPUTE(dynamic::TakeList);
FATHOM_CUDA_COMPUTE(dynamic::MeasureList);

}  // namespace fathom
