#include "fathom/core/error.hpp"

#include <system_error>

namespace fathom {

IoError::IoError(const std::string& path, const std::string& action, int error_number)
    : Error(ErrorCode::Io,
            path + ": cannot " + action + ": " + std::generic_category().message(error_number)),
      path_(path),
      error_number_(error_number) {}

void throw_io_error(const std::string& path, const std::string& action, int error_number) {
  throw IoError(path, action, error_number);
}

}  // namespace fathom
