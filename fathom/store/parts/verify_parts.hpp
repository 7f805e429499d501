// The full check of all parts of a graph, where one place has all of them: `fathom verify DIR`.
#pragma once

#include <string>

#include "fathom/core/task.hpp"
#include "fathom/store/store.hpp"

namespace fathom::store {

/// What was read.
struct VerifiedParts {
  Header header;
  std::uint32_t parts = 0;
  std::uint64_t bytes = 0;
};

/// Checks every part as Store::verify() does, and that together they are the graph whose
/// fingerprint they have: symmetric, or with in-edges that are the transpose, if they say so.
/// @throws Error(BadInput) at the first thing wrong, naming the file.
FATHOM_API VerifiedParts verify_parts(const std::string& directory, int threads, const Task& task);

}  // namespace fathom::store
