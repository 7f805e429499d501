// Which of up to 64 searches: one word.
#pragma once

#include "fathom/core/platform.hpp"

namespace fathom {

using SearchSet = std::uint64_t;  // bit i: search i

}  // namespace fathom
