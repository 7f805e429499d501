// The variants whose queues hold chunks.
#include "fathom/memory/cuda/survey_subject.cuh"
#include "fathom/memory/cuda/survey_subjects.hpp"
#include "fathom/memory/ouroboros.cuh"

namespace fathom::memory {

std::vector<SubjectKind> chunk_subjects() {
  return {{"S-C", true, true, make_subject<DeviceHeap<Ouroboros<SC>>>},
          {"VA-C", true, true, make_subject<DeviceHeap<Ouroboros<VAC>>>},
          {"VL-C", true, true, make_subject<DeviceHeap<Ouroboros<VLC>>>}};
}

}  // namespace fathom::memory
