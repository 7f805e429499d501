// The survey of a build without CUDA.
#include "fathom/core/error.hpp"
#include "fathom/memory/survey.hpp"

namespace fathom::memory {

#ifndef FATHOM_WITH_CUDA

SurveyDevice open_survey_device(int) {
  throw Error(ErrorCode::Device, "this build of Fathom has no CUDA: its allocators run on the cpu");
}
std::vector<SubjectKind> device_subjects() {
  return {};
}

#endif

}  // namespace fathom::memory
