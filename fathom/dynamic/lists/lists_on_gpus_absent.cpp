// Lists on GPUs of a build without CUDA.
#include "fathom/dynamic/lists/lists_on_gpus.hpp"

namespace fathom::dynamic {

#ifndef FATHOM_WITH_CUDA

std::unique_ptr<GpuLists> make_gpu_lists(const Context&, const DynamicGraphOptions&,
                                         const DynamicLayout&, const ListRoom&) {
  return nullptr;
}

#endif

}  // namespace fathom::dynamic
