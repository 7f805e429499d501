// The groups of allocators of a survey on a GPU, one .cu file each.
#pragma once

#include "fathom/memory/survey.hpp"

namespace fathom::memory {

std::vector<SubjectKind> page_subjects();
std::vector<SubjectKind> chunk_subjects();
std::vector<SubjectKind> plain_subjects();

}  // namespace fathom::memory
