// The one file of tests that is not compiled alike wherever the sources lie: a compiler cache then
// knows the others again.
#include "tests/suites/source_file.hpp"

namespace fathom {

std::string source_file(const std::string& name) {
  return FATHOM_SOURCE_DIR "/" + name;
}

}  // namespace fathom
