#include "fathom/dynamic/batches/cuda/commit_lists.cuh"

namespace fathom::dynamic::gpu {

void commit_contiguous(cuda::Gpu& gpu, const CommitArguments& a, const UpdateData& data) {
  start_commit<ListForm::Contiguous>(gpu, a, data);
}

}  // namespace fathom::dynamic::gpu
