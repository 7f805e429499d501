// The groups of allocators of a survey on a GPU, one .cu file each.
#pragma once

#include "bench/survey/survey.hpp"

namespace fathom::memory {

// By kind of queue: what holds pages, then what holds chunks.
std::vector<SubjectKind> standard_subjects();
std::vector<SubjectKind> virtual_array_subjects();
std::vector<SubjectKind> virtual_list_subjects();
// What they are compared with.
std::vector<SubjectKind> plain_subjects();

}  // namespace fathom::memory
