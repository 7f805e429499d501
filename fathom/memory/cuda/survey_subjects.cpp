#include "fathom/memory/cuda/survey_subjects.hpp"

#include "fathom/exec/cuda/gpu.hpp"

namespace fathom::memory {

SurveyDevice open_survey_device(int ordinal) {
  const cuda::Gpu gpu(ordinal, cuda::GpuShare{});
  std::size_t free = 0, total = 0;
  cuda::check(cudaMemGetInfo(&free, &total), "asking for free device memory");
  return {gpu.name(), free};
}

std::vector<SubjectKind> device_subjects() {
  std::vector<SubjectKind> all;
  for (const auto& group : {page_subjects(), chunk_subjects(), plain_subjects()})
    all.insert(all.end(), group.begin(), group.end());
  return all;
}

}  // namespace fathom::memory
