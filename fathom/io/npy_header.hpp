// The header of a NumPy array in a file (format 1.0 and 2.0; NumPy's NEP 1).
#pragma once

#include <string>
#include <string_view>

namespace fathom::io {

/// Everything before the values. `type` and `shape` as Python spells them: "'<u4'", "(3,)".
std::string npy_header(std::string_view type, std::string_view shape);

}  // namespace fathom::io
