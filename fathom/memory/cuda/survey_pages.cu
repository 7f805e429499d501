// The variants whose queues hold pages.
#include "fathom/memory/cuda/survey_subject.cuh"
#include "fathom/memory/cuda/survey_subjects.hpp"
#include "fathom/memory/ouroboros.cuh"

namespace fathom::memory {

std::vector<SubjectKind> page_subjects() {
  return {{"S-P", true, true, make_subject<DeviceHeap<Ouroboros<SP>>>},
          {"VA-P", true, true, make_subject<DeviceHeap<Ouroboros<VAP>>>},
          {"VL-P", true, true, make_subject<DeviceHeap<Ouroboros<VLP>>>}};
}

}  // namespace fathom::memory
