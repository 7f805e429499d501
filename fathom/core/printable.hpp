// Bytes from outside (file names, labels, what stands in a file) as a terminal or a reader of JSON
// can be given them.
//
// What is valid UTF-8 and can be seen stays. Escaped are bytes that are not UTF-8; control
// characters, which a terminal obeys: C0, DEL and C1; and what hides or turns round the text beside
// it: marks and overrides of direction, separators of lines, tags, the byte order mark.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "fathom/core/platform.hpp"

namespace fathom {

enum class Newlines { Escape, Keep };

/// A byte that is not UTF-8 or a control character of ASCII as \x1b, another character as \u{202e}.
FATHOM_API std::string printable(std::string_view text, Newlines newlines = Newlines::Escape);

/// The same in quotes, and not more than 40 bytes of the text: "'abc'... (50 bytes)".
FATHOM_API std::string in_quotes(std::string_view text);

/// JSON in UTF-8 that says the same with such characters as \u202e. What is not UTF-8 is U+FFFD.
FATHOM_API std::string printable_json(std::string_view json);

}  // namespace fathom
