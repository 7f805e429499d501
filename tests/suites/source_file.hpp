// Files of the sources that tests read.
#pragma once

#include <string>

namespace fathom {

/// Path of a file named from the root of the project.
std::string source_file(const std::string& name);

}  // namespace fathom
