#include "fathom/dynamic/batches/cuda/commit_lists.cuh"

namespace fathom::dynamic::gpu {

void commit_sorted(cuda::Gpu& gpu, const CommitArguments& a, const WeightsAlone& none) {
  start_commit<ListForm::Sorted>(gpu, a, none);
}

}  // namespace fathom::dynamic::gpu
