#include "bench/survey/cuda/subjects.hpp"

#include "fathom/exec/cuda/gpu.hpp"

namespace fathom::memory {

SurveyDevice open_survey_device(int ordinal) {
  const cuda::Gpu gpu(ordinal, cuda::GpuShare{});
  std::size_t free = 0, total = 0;
  cuda::check(cudaMemGetInfo(&free, &total), "asking for free device memory");
  return {gpu.name(), free};
}

std::vector<SubjectKind> device_subjects() {
  const std::vector<SubjectKind> queues[] = {standard_subjects(), virtual_array_subjects(),
                                             virtual_list_subjects()};
  std::vector<SubjectKind> all;
  for (const std::size_t held : {0, 1})
    for (const auto& kinds : queues) all.push_back(kinds[held]);
  const std::vector<SubjectKind> plain = plain_subjects();
  all.insert(all.end(), plain.begin(), plain.end());
  return all;
}

}  // namespace fathom::memory
