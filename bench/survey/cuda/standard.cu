// The variants whose queues are arrays.
#include "bench/survey/cuda/subject.cuh"
#include "bench/survey/cuda/subjects.hpp"
#include "fathom/memory/ouroboros.cuh"

namespace fathom::memory {

std::vector<SubjectKind> standard_subjects() {
  return {{"S-P", true, true, make_subject<DeviceHeap<Ouroboros<SP>>>},
          {"S-C", true, true, make_subject<DeviceHeap<Ouroboros<SC>>>}};
}

}  // namespace fathom::memory
