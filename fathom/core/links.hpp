// Where symbolic links lead to, whether or not there is anything.
#pragma once

#include <string>

#include "fathom/core/platform.hpp"

namespace fathom {

/// Where a chain of symbolic links leads to, which is where an output of that name is written. Only
/// links that the system itself would follow: who may not (protected_symlinks) gets an error from
/// stat() before.
/// @throws Error(Usage) for what a process has open, like /dev/stdout, whose place no other file
///         can take; Error(Io).
FATHOM_API std::string end_of_links(const std::string& path);

}  // namespace fathom
