// The survey of a build without CUDA.
#include "bench/survey/survey.hpp"
#include "fathom/core/error.hpp"

namespace fathom::memory {

SurveyDevice open_survey_device(int) {
  throw Error(ErrorCode::Device, "this build of Fathom has no CUDA: its allocators run on the cpu");
}
std::vector<SubjectKind> device_subjects() {
  return {};
}

}  // namespace fathom::memory
