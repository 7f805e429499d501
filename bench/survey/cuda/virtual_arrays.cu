// The variants whose queues are hierarchies of chunks.
#include "bench/survey/cuda/subject.cuh"
#include "bench/survey/cuda/subjects.hpp"
#include "fathom/memory/ouroboros.cuh"

namespace fathom::memory {

std::vector<SubjectKind> virtual_array_subjects() {
  return {{"VA-P", true, true, make_subject<DeviceHeap<Ouroboros<VAP>>>},
          {"VA-C", true, true, make_subject<DeviceHeap<Ouroboros<VAC>>>}};
}

}  // namespace fathom::memory
