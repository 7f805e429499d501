// Memory of this process that the machine holds, as the kernel counts it.
#pragma once

#include <cstdint>

namespace fathom::cli {

/// Of this program: getrusage() would remember the process that started it. 0 where /proc is not.
std::uint64_t peak_resident_bytes();
/// What it is now; 0 where /proc is not.
std::uint64_t resident_bytes();
/// The peak counts from now on. Does nothing where the kernel does not let it.
void forget_peak_resident_bytes();

}  // namespace fathom::cli
