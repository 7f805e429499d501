#include "tests/cuda/memory_kernels.cuh"

namespace fathom::testing {

MemoryRun exercise_standard(MemoryVariantName variant, const MemoryLoad& load) {
  return variant == MemoryVariantName::SP ? exercise<memory::SP>(load) : exercise<memory::SC>(load);
}

}  // namespace fathom::testing
