// Sizes in bytes.
#pragma once

#include <cstddef>

namespace fathom::testing {

inline constexpr std::size_t kKi = 1024, kMi = kKi * kKi, kGi = kKi * kMi;

}  // namespace fathom::testing
