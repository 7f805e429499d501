#include "fathom/io/input_error.hpp"

#include <fmt/format.h>

namespace fathom::io {

std::string quoted(std::string_view text) {
  constexpr std::size_t kShown = 40;
  std::string out = "'";
  for (const char c : text.substr(0, kShown)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f)
      out += fmt::format("\\x{:02x}", byte);
    else
      out += c;
  }
  out += "'";
  if (text.size() > kShown) out += fmt::format("... ({} bytes)", text.size());
  return out;
}

void fail_line(const std::string& path, std::uint64_t line, const LineError& error) {
  std::string message =
      fmt::format("{}:{}: expected {}, found {}", path, line, error.expected, quoted(error.found));
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
