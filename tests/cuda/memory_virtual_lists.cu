#include "tests/cuda/memory_kernels.cuh"

namespace fathom::testing {

MemoryRun exercise_virtual_lists(MemoryVariantName variant, const MemoryLoad& load) {
  return variant == MemoryVariantName::VLP ? exercise<memory::VLP>(load)
                                           : exercise<memory::VLC>(load);
}

}  // namespace fathom::testing
