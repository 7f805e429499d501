// The one place that states Fathom's version; CMakeLists.txt and the packages read it from here.
#pragma once

namespace fathom {

inline constexpr const char kVersion[] = "0.1.0";

}  // namespace fathom
