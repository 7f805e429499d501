#include "fathom/io/numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "fathom/io/input_error.hpp"

namespace fathom::io {
namespace {

std::string_view without_plus(std::string_view token) {
  if (token.size() > 1 && token[0] == '+' && token[1] != '-') token.remove_prefix(1);
  return token;
}

bool holds_exactly(std::uint64_t value) {
  if (value <= kExactIntegers) return true;
  const auto as_float = static_cast<Weight>(value);
  return as_float < 18446744073709551616.0F && static_cast<std::uint64_t>(as_float) == value;
}

[[noreturn]] void fail_inexact(const std::string& found) {
  throw LineError{"an integer weight that a 32-bit float holds exactly", found, ""};
}

}  // namespace

IdText parse_id(std::string_view token, std::uint64_t& value) {
  const char* const end = token.data() + token.size();
  const bool negative = token.size() > 1 && token[0] == '-';
  const auto [rest, error] = std::from_chars(token.data() + (negative ? 1 : 0), end, value);
  if (error == std::errc::invalid_argument || rest != end) return IdText::NotANumber;
  if (negative) return IdText::Negative;
  return error == std::errc{} ? IdText::Id : IdText::TooLarge;
}

Weight parse_weight(std::string_view token) {
  const std::string_view text = without_plus(token);
  std::uint64_t integer = 0;
  const bool negative = !text.empty() && text[0] == '-';
  const IdText kind = parse_id(negative ? text.substr(1) : text, integer);
  if (kind == IdText::Id && !(negative && text.size() == 1)) {
    if (!holds_exactly(integer)) fail_inexact(std::string(token));
    // Not 0 - weight: g++ 12 makes -weight of that, and -0 of 0.
    return negative && integer != 0 ? -static_cast<Weight>(integer) : static_cast<Weight>(integer);
  }
  if (kind == IdText::TooLarge) fail_inexact(std::string(token));
  Weight value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (rest != end || error == std::errc::invalid_argument)
    throw LineError{"a weight", std::string(token), ""};
  if (error != std::errc{} || !std::isfinite(value))
    throw LineError{"a finite weight that a 32-bit float can hold", std::string(token), ""};
  return value + 0.0F;  // -0 becomes 0
}

Weight checked_weight(std::uint64_t value) {
  if (!holds_exactly(value)) fail_inexact(std::to_string(value));
  return static_cast<Weight>(value);
}

Weight checked_weight(std::int64_t value) {
  if (value >= 0) return checked_weight(static_cast<std::uint64_t>(value));
  if (!holds_exactly(0 - static_cast<std::uint64_t>(value))) fail_inexact(std::to_string(value));
  return static_cast<Weight>(value);
}

Weight checked_weight(double value) {
  if (!std::isfinite(value) || std::abs(value) > std::numeric_limits<Weight>::max())
    throw LineError{"a finite weight that a 32-bit float can hold", fmt::format("{}", value), ""};
  return static_cast<Weight>(value) + 0.0F;
}

bool is_integer(std::string_view token) {
  if (!token.empty() && (token[0] == '-' || token[0] == '+')) token.remove_prefix(1);
  return !token.empty() && std::all_of(token.begin(), token.end(), is_digit);
}

bool is_number(std::string_view token) {
  token = without_plus(token);
  double value = 0;
  const auto [rest, error] = std::from_chars(token.data(), token.data() + token.size(), value);
  return error == std::errc{} && rest == token.data() + token.size() && std::isfinite(value);
}

}  // namespace fathom::io
