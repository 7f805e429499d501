#include "fathom/core/printable.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <utility>

namespace fathom {
namespace {

constexpr std::uint32_t kNoCharacter = ~std::uint32_t{0};

struct Character {
  std::uint32_t code;  // kNoCharacter: the byte is not UTF-8
  std::size_t bytes;
};

/// The character that `text`, which is not empty, begins with. By the table of well-formed
/// sequences of Unicode (3.9, table 3-7): nothing overlong, no surrogates, nothing above 10FFFF.
Character first_of(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < bytes) return {kNoCharacter, 1};
  const unsigned least = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
  const unsigned most = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
  if (byte(1) < least || byte(1) > most) return {kNoCharacter, 1};
  std::uint32_t code = lead & (0x7fU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0U) != 0x80) return {kNoCharacter, 1};
    code = code << 6 | (byte(i) & 0x3fU);
  }
  return {code, bytes};
}

/// Neither seen nor harmless.
bool is_unseen(std::uint32_t code) {
  constexpr std::array<std::pair<std::uint32_t, std::uint32_t>, 11> kUnseen{
      {{0x00, 0x1f},
       {0x7f, 0x9f},
       {0x61c, 0x61c},  // marks of direction
       {0x200e, 0x200f},
       {0x2028, 0x202e},  // separators of lines and paragraphs; embeddings, overrides
       {0x2066, 0x2069},  // isolates
       {0xfdd0, 0xfdef},  // no characters
       {0xfeff, 0xfeff},  // the byte order mark
       {0xfff0, 0xfffb},  // annotations
       {0xfffe, 0xffff},
       {0xe0000, 0xe0fff}}};  // tags
  for (const auto& [first, last] : kUnseen)
    if (code >= first && code <= last) return true;
  return false;
}

}  // namespace

std::string printable(std::string_view text, Newlines newlines) {
  std::string shown;
  for (std::size_t at = 0; at < text.size();) {
    const auto [code, bytes] = first_of(text.substr(at));
    const bool kept =
        code == '\n' ? newlines == Newlines::Keep : code != kNoCharacter && !is_unseen(code);
    if (kept)
      shown += text.substr(at, bytes);
    else if (bytes == 1)
      shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[at]));
    else
      shown += fmt::format("\\u{{{:x}}}", code);
    at += bytes;
  }
  return shown;
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t kShown = 40;
  std::size_t shown = 0;  // whole characters
  while (shown < text.size()) {
    const std::size_t next = shown + first_of(text.substr(shown)).bytes;
    if (next > kShown) break;
    shown = next;
  }
  std::string out = fmt::format("'{}'", printable(text.substr(0, shown)));
  if (shown < text.size()) out += fmt::format("... ({} bytes)", text.size());
  return out;
}

std::string printable_json(std::string_view json) {
  std::string shown;
  for (std::size_t at = 0; at < json.size();) {
    const auto [code, bytes] = first_of(json.substr(at));
    if (code == kNoCharacter)
      shown += "\xef\xbf\xbd";
    else if (code < 0x20 || !is_unseen(code))  // below, only what stands between values
      shown += json.substr(at, bytes);
    else if (code < 0x10000)
      shown += fmt::format("\\u{:04x}", code);
    else
      shown += fmt::format("\\u{:04x}\\u{:04x}", 0xd800 + ((code - 0x10000) >> 10),
                           0xdc00 + ((code - 0x10000) & 0x3ff));
    at += bytes;
  }
  return shown;
}

}  // namespace fathom
