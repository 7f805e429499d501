// The variants whose queues are linked chunks.
#include "bench/survey/cuda/subject.cuh"
#include "bench/survey/cuda/subjects.hpp"
#include "fathom/memory/ouroboros.cuh"

namespace fathom::memory {

std::vector<SubjectKind> virtual_list_subjects() {
  return {{"VL-P", true, true, make_subject<DeviceHeap<Ouroboros<VLP>>>},
          {"VL-C", true, true, make_subject<DeviceHeap<Ouroboros<VLC>>>}};
}

}  // namespace fathom::memory
