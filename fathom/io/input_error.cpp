#include "fathom/io/input_error.hpp"

#include <fmt/format.h>

namespace fathom::io {

void fail_line(const std::string& path, std::uint64_t line, const LineError& error) {
  std::string message = fmt::format("{}:{}: expected {}, found {}", path, line, error.expected,
                                    in_quotes(error.found));
  if (!error.hint.empty()) message += " (" + error.hint + ")";
  throw Error(ErrorCode::BadInput, message);
}

void fail_byte(const std::string& path, std::uint64_t byte, const std::string& expected,
               const std::string& found) {
  throw Error(ErrorCode::BadInput,
              fmt::format("{}: byte {}: expected {}, found {}", path, byte, expected, found));
}

void fail_file(const std::string& path, const std::string& message) {
  throw Error(ErrorCode::BadInput, path + ": " + message);
}

}  // namespace fathom::io
