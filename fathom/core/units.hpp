// Sizes and durations as people write them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "fathom/core/platform.hpp"

namespace fathom {

/// "4GiB", "512M", "1.5 GB", "65536" to bytes. KiB/MiB/GiB/TiB and K/M/G/T are powers of 1024,
/// KB/MB/GB/TB powers of 1000; case does not matter. Nothing when it is not a size.
FATHOM_API std::optional<std::uint64_t> parse_bytes(std::string_view text);

/// 1536 to "1.5 KiB".
FATHOM_API std::string format_bytes(std::uint64_t bytes);

/// 0.0123 to "12.3 ms"; 75 to "75 s"; 3700 to "1:01:40".
FATHOM_API std::string format_seconds(double seconds);

/// Now, in UTC: "2026-11-21T14:31:20Z".
FATHOM_API std::string utc_time();

/// 1234567 to "1,234,567".
FATHOM_API std::string format_count(std::uint64_t n);

}  // namespace fathom
