#include "fathom/core/error.hpp"

#include <system_error>

namespace fathom {

void throw_io_error(const std::string& path, const std::string& action, int error_number) {
  throw Error(ErrorCode::Io,
              path + ": cannot " + action + ": " + std::generic_category().message(error_number));
}

}  // namespace fathom
