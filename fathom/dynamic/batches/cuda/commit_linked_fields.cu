#include "fathom/dynamic/batches/cuda/commit_lists.cuh"

namespace fathom::dynamic::gpu {

void commit_linked(cuda::Gpu& gpu, const CommitArguments& a, const UpdateData& data) {
  start_commit<ListForm::Linked>(gpu, a, data);
}

}  // namespace fathom::dynamic::gpu
