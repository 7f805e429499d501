// Host errors are exceptions of one type with a code; the code is also the program's exit status.
#pragma once

#include <stdexcept>
#include <string>

#include "fathom/core/platform.hpp"

namespace fathom {

/// What went wrong, as the command line's exit status (docs/reference/exit-status.md).
enum class ErrorCode : int {
  Internal = 1,    // a broken promise inside Fathom
  Usage = 2,       // an argument that makes no sense: unknown option, source out of range
  BadInput = 3,    // a file whose content is not what it should be
  DoesNotFit = 4,  // a memory budget or an id width is too small; the message says what would do
  Device = 5,      // a device is missing or failed
  VerificationFailed = 6,  // a certificate check refuted a result
  NotConverged = 7,        // an iteration limit was reached first
  Io = 74,                 // the operating system refused to read or write
  Interrupted = 130,       // cancelled by the caller
};

class FATHOM_API Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ErrorCode code() const { return code_; }

 private:
  ErrorCode code_;
};

/// What the operating system refused, at which file.
class FATHOM_API IoError : public Error {
 public:
  IoError(const std::string& path, const std::string& action, int error_number);
  const std::string& path() const { return path_; }
  int error_number() const { return error_number_; }  // errno

 private:
  std::string path_;
  int error_number_;
};

/// Throws IoError with the path, what was attempted and the text of `error_number` (errno).
[[noreturn]] FATHOM_API void throw_io_error(const std::string& path, const std::string& action,
                                            int error_number);

}  // namespace fathom
