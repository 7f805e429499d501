// Text of fields: letters, ids and weights, with Fathom's rules about what a weight may be.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "fathom/core/platform.hpp"

namespace fathom::io {

inline bool is_digit(char c) {
  return static_cast<unsigned char>(c - '0') < 10;
}
inline bool is_blank(char c) {
  return c == ' ' || c == '\t';
}
inline bool is_control(char c) {
  return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == '\x7f';
}

/// The text with its ASCII letters in lower case.
inline std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

enum class IdText { Id, TooLarge, Negative, NotANumber };

/// Reads a whole token as an unsigned decimal number.
IdText parse_id(std::string_view token, std::uint64_t& value);

/// Reads a number of at most 19 digits (which cannot overflow) at `p` and moves past it. Returns
/// whether there was one; `end` must be readable as a sentinel that is no digit.
inline bool scan_id(const char*& p, std::uint64_t& value) {
  constexpr int kSafeDigits = 19;
  const char* const first = p;
  std::uint64_t v = 0;
  while (is_digit(*p)) v = v * 10 + static_cast<std::uint64_t>(*p++ - '0');
  value = v;
  return p != first && p - first <= kSafeDigits;
}

/// A float holds every integer up to here.
inline constexpr std::uint64_t kExactIntegers = std::uint64_t{1} << 24;

/// Reads a line of at most N numbers as scan_id() does, apart by blanks; how many they are, 0 when
/// there is anything else. `end` must be readable as a sentinel that is neither digit nor blank.
template <std::size_t N>
std::size_t scan_ids(const char* p, const char* end, std::array<std::uint64_t, N>& value) {
  for (std::size_t n = 0;; ++n) {
    const char* const before = p;
    while (is_blank(*p)) ++p;
    if (p == end) return n;
    if (n == N || (n > 0 && p == before) || !scan_id(p, value[n])) return 0;
  }
}

/// The weight a token spells; it may be negative. @throws LineError unless it is finite and (an
/// integer) exactly representable.
Weight parse_weight(std::string_view token);

/// An integer or floating-point weight from a binary file. @throws LineError as above.
Weight checked_weight(std::int64_t value);
Weight checked_weight(std::uint64_t value);
Weight checked_weight(double value);

/// Whether the token is a finite number, and whether it is written as an integer.
bool is_number(std::string_view token);
bool is_integer(std::string_view token);

}  // namespace fathom::io
