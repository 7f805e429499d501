#include "tests/cuda/memory_kernels.cuh"

namespace fathom::testing {

MemoryRun exercise_virtual_arrays(MemoryVariantName variant, const MemoryLoad& load) {
  return variant == MemoryVariantName::VAP ? exercise<memory::VAP>(load)
                                           : exercise<memory::VAC>(load);
}

}  // namespace fathom::testing
