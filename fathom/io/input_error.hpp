// Errors of readers: one wording, "<file>:<line>: expected X, found 'Y'", for every format.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "fathom/core/error.hpp"
#include "fathom/core/printable.hpp"

namespace fathom::io {

/// What a parser throws inside a line; whoever knows file and line turns it into an Error.
struct LineError {
  std::string expected;
  std::string found;  // as it stands in the file
  std::string hint;   // an option that would settle it, or empty
};

[[noreturn]] void fail_line(const std::string& path, std::uint64_t line, const LineError& error);
[[noreturn]] void fail_byte(const std::string& path, std::uint64_t byte,
                            const std::string& expected, const std::string& found);
/// The file as a whole is wrong.
[[noreturn]] void fail_file(const std::string& path, const std::string& message);

}  // namespace fathom::io
